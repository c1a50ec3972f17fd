// The ten activities of a worker, as shares of its time.

const meaning = {
  "user": "the program's own code",
  "spawning": "forking, and making tasks visible to thieves",
  "own queue": "taking a task from the worker's own queues, and the time between two tasks",
  "looking": "the policy looks at other workers before a steal",
  "claiming": "trying to claim a task from another worker's queue, successful or not",
  "taking": "from the claim to the start of the stolen task",
  "waiting": "pauses between two looks, and waits without suspension",
  "suspending": "suspending a task and continuing with another stack",
  "resuming": "resuming a suspended task",
  "asleep": "asleep in the kernel, or no thread ran the worker",
};
// Neighbours differ without colour as well.
const patterns = [null, {dashArrayX: [3, 3], dashArrayY: [3, 3], symbol: "circle", symbolSize: .5}, null,
  {dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: .785}, null, {dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: -.785}, null,
  {dashArrayX: [1, 0], dashArrayY: [1, 4]}, null, {dashArrayX: [1, 0], dashArrayY: [1, 5], rotation: 1.57}];

const activity_tooltip = (title, params) => `<b>${safe(title)}</b><br>` + params.filter(p => p.value >= .0005)
    .map(p => `${p.marker}${safe(p.seriesName)}: ${percent(p.value)} (${time(p.data.ns)})`).join("<br>");

/// Stacked bars of shares; `bars`: [name, ns of each activity].
function stacked(colour, activities, bars, horizontal) {
  const names = axis(colour, {type: "category", data: bars.map(bar => bar[0]), inverse: horizontal});
  const shares = axis(colour, {type: "value", min: 0, max: 1, axisLabel: {formatter: round_percent}});
  const all = bars.map(bar => sum(bar[1]));
  return {
    legend: legend(colour),
    tooltip: {...shared(colour).tooltip, trigger: "axis", axisPointer: {type: "shadow"},
      formatter: params => activity_tooltip(params[0].name, params)},
    xAxis: horizontal ? shares : {...names, name: "worker", nameLocation: "middle", nameGap: 26},
    yAxis: horizontal ? names : shares,
    series: activities.map((name, kind) => ({
      name, type: "bar", stack: "all", barCategoryGap: bars.length > 40 ? "0%" : "18%",
      itemStyle: {color: colour.activity(name), decal: bars.length > 40 ? null : patterns[kind] && {color: "rgba(0,0,0,.22)", ...patterns[kind]}},
      data: bars.map((bar, i) => ({value: of_all(bar[1][kind], all[i]), ns: bar[1][kind]})),
      label: {show: horizontal && kind === user, formatter: p => percent(p.value), color: colour.surface},
    })),
  };
}

function breakdown_table(runs, activities) {
  const named = name => element("span", {}, element("span", {class: "swatch", style: `background: var(--${name.replace(" ", "-")})`}), name,
      element("small", {class: "meaning"}, meaning[name] || ""));
  const heads = ["", ...runs.flatMap((_, i) => runs.length > 1 ? [`${letter(i)}: time`, `${letter(i)}: share`] :
    ["time", "share"]), ...(runs.length > 1 ? ["B / A"] : [])];
  const rows = activities.map((name, kind) => [named(name),
    ...runs.flatMap(run => [time(run.ns[kind]), percent(of_all(run.ns[kind], sum(run.ns)))]),
    ...(runs.length > 1 ? [ratio(runs[0].ns[kind], runs[1].ns[kind])] : [])]);
  return table("Time of all workers by activity", heads, rows, {compares: runs.length > 1});
}

function breakdown(runs, activities) {
  const bars = runs.map((run, i) => [runs.length > 1 ? letter(i) : "all", run.ns]);
  const missing = runs.map((run, i) => `${runs.length > 1 ? `${letter(i)}: ` : ""}${percent(Math.abs(run.summary.unattributed))}`);
  return [
    explained("At every moment, a worker is in one of ten activities. The first is your program, the last is sleep, and the others are the cost of skua."),
    chart("breakdown", 32 * runs.length + 140, "Shares of all workers' time by activity; the table below has the numbers",
        (colour, width) => ({...stacked(colour, activities, bars, true), grid: {left: 40, right: 24, top: legend_height(activities, width), bottom: 28}})),
    breakdown_table(runs, activities),
    sentence(`Unattributed (of workers times wall time): ${missing.join(", ")}.`),
    element("h3", {}, "Worker by worker"),
    explained("One column per worker. If the columns differ much, the work was not distributed evenly."),
    for_each_run(runs, (run, i) => [chart(`workers-${i}`, 300, "Shares of each worker's time by activity; the table at the end has the numbers",
        (colour, width) => ({...stacked(colour, activities, run.workers.map((worker, w) => [String(w), worker.ns]), false),
          grid: {left: 48, right: 16, top: legend_height(activities, width), bottom: 44}}))]),
  ];
}
