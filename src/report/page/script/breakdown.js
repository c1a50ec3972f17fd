// The ten things that a worker does, as shares of its time.

const meaning = {
  "user": "the program's own code",
  "spawning": "making work visible to others, and forks themselves",
  "own queue": "taking from the own queues, and between two tasks",
  "looking": "the policy looks at others before it takes something",
  "claiming": "taking a task from another's queue, with success or without",
  "taking": "from a successful steal to the beginning of its task",
  "waiting": "pauses between two looks, and waits that stay in place",
  "suspending": "putting a stack aside and going on with another",
  "resuming": "the way back to a stack that was put aside",
  "asleep": "in the kernel, or a place that nobody used",
};
// So that neighbours differ without colour, too.
const patterns = [null, {dashArrayX: [3, 3], dashArrayY: [3, 3], symbol: "circle", symbolSize: .5}, null,
  {dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: .785}, null, {dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -.785}, null,
  {dashArrayX: [1, 0], dashArrayY: [1, 4]}, null, {dashArrayX: [1, 0], dashArrayY: [1, 5], rotation: 1.57}];

const doing_tooltip = (title, params) => `<b>${safe(title)}</b><br>` + params.filter(p => p.value >= .0005)
    .map(p => `${p.marker}${safe(p.seriesName)}: ${percent(p.value)} (${time(p.data.ns)})`).join("<br>");

/// Stacked bars of shares; `bars`: [name, ns of each doing].
function stacked(colour, doings, bars, horizontal) {
  const names = axis(colour, {type: "category", data: bars.map(bar => bar[0]), inverse: horizontal});
  const shares = axis(colour, {type: "value", min: 0, max: 1, axisLabel: {formatter: round_percent}});
  const all = bars.map(bar => sum(bar[1]));
  return {
    legend: legend(colour),
    tooltip: {...shared(colour).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
      formatter: params => doing_tooltip(params[0].name, params)},
    xAxis: horizontal ? shares : {...names, name: "worker", nameLocation: "middle", nameGap: 26},
    yAxis: horizontal ? names : shares,
    series: doings.map((name, kind) => ({
      name, type: "bar", stack: "all", barCategoryGap: bars.length > 40 ? "0%" : "18%",
      itemStyle: {color: colour.doing(name), decal: bars.length > 40 ? null : patterns[kind] && {color: "rgba(0,0,0,.22)", ...patterns[kind]}},
      data: bars.map((bar, i) => ({value: of_all(bar[1][kind], all[i]), ns: bar[1][kind]})),
      label: {show: horizontal && kind === user, formatter: p => percent(p.value), color: colour.surface},
    })),
  };
}

function breakdown_table(runs, doings) {
  const named = name => element("span", {}, element("span", {class: "swatch", style: `background: var(--${name.replace(" ", "-")})`}), name,
      element("small", {class: "meaning"}, meaning[name] || ""));
  const heads = ["", ...runs.flatMap((_, i) => runs.length > 1 ? [`${letter(i)}: time`, `${letter(i)}: share`] :
    ["time", "share"]), ...(runs.length > 1 ? ["B / A"] : [])];
  const rows = doings.map((name, kind) => [named(name),
    ...runs.flatMap(run => [time(run.ns[kind]), percent(of_all(run.ns[kind], sum(run.ns)))]),
    ...(runs.length > 1 ? [ratio(runs[0].ns[kind], runs[1].ns[kind])] : [])]);
  return table("Time of all workers by what they did", heads, rows);
}

function breakdown(runs, doings) {
  const bars = runs.map((run, i) => [runs.length > 1 ? letter(i) : "all", run.ns]);
  const missing = runs.map((run, i) => `${runs.length > 1 ? `${letter(i)}: ` : ""}${percent(Math.abs(run.summary.unattributed))}`);
  return [
    explained("Every moment of every worker belongs to one of ten kinds; the first is your program, the last is sleep, and what lies between is what skua costs."),
    chart("breakdown", 32 * runs.length + 140, "Shares of all workers' time by what they did; the table below has the numbers",
        (colour, width) => ({...stacked(colour, doings, bars, true), grid: {left: 40, right: 24, top: legend_height(doings, width), bottom: 28}})),
    breakdown_table(runs, doings),
    sentence(`Of workers times wall time, ${missing.join(", ")} is in none of the kinds.`),
    element("h3", {}, "Worker by worker"),
    explained("One column a worker: columns that differ much mean that the work was not spread evenly."),
    for_each_run(runs, (run, i) => [chart(`workers-${i}`, 300, "Shares of each worker's time by what it did; the table at the end has the numbers",
        (colour, width) => ({...stacked(colour, doings, run.workers.map((worker, w) => [String(w), worker.ns]), false),
          grid: {left: 48, right: 16, top: legend_height(doings, width), bottom: 44}}))]),
  ];
}
