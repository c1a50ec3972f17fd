// Speedup by the number of workers: the upper bound by work and span, the expected speedup, and the measured one.

const dashes = ["solid", [8, 4]];
const curve_names = {max: "upper bound (work and span)", burdened: "expected with the cost of steals", measured: "measured", estimated: "estimated: user time over wall time", ideal: "linear speedup"};

/// The ends of the axes: the largest number of workers and the largest speedup of the curves. The linear one may leave the chart.
function curve_ends(runs) {
  const points = runs.flatMap(run => [...run.speedups.predicted, ...run.speedups.measured]);
  const highest = 1.05 * Math.max(...points.flatMap(point => point.slice(1)), 1);
  const step = 10 ** Math.floor(Math.log10(highest)) / (highest < 20 ? 2 : 5);
  return {workers: Math.max(...points.map(point => point[0]), 2), speedup: Math.ceil(highest / step) * step};
}

function curve_series(colour, runs, ends) {
  const ideal = Math.min(ends.workers, ends.speedup);
  const mark = (run, text) => runs.length > 1 ? `${letter(run)}: ${text}` : text;
  const series = [{name: curve_names.ideal, type: "line", symbol: "none", lineStyle: {color: colour.muted, type: "dotted", width: 1.5},
    itemStyle: {color: colour.muted}, data: [[1, 1], [ideal, ideal]]}];
  runs.forEach((run, i) => {
    const {predicted, measured} = run.speedups, own = colour.runs[i];
    if (predicted.length > 0) {
      series.push({name: mark(i, curve_names.max), type: "line", symbol: "none", itemStyle: {color: own},
        lineStyle: {color: own, width: 2.5, type: dashes[i]}, data: predicted.map(([p, s]) => [p, s])});
      series.push({name: mark(i, curve_names.burdened), type: "line", symbol: "none", itemStyle: {color: own},
        lineStyle: {color: own, width: 1.5, type: [3, 3]}, data: predicted.map(([p, , s]) => [p, s])});
    }
    const known = run.summary.speedup_measured || measured.length > 1;
    series.push({name: mark(i, known ? curve_names.measured : curve_names.estimated), type: measured.length > 1 ? "line" : "scatter", symbol: i ? "diamond" : "circle", symbolSize: 11,
      itemStyle: {color: own, borderColor: colour.surface, borderWidth: 1.5}, lineStyle: {color: own, width: 1}, z: 5,
      label: {show: measured.length < 9, position: "bottom", distance: 8, color: colour.text, formatter: p => p.value[0] > 1 ? times(p.value[1]) : ""}, labelLayout: {hideOverlap: true},
      data: measured});
  });
  return series;
}

function curve_option(colour, runs, width) {
  const ends = curve_ends(runs), series = curve_series(colour, runs, ends), names = series.map(one => one.name);
  return {
    legend: legend(colour, {icon: null, itemWidth: 28, data: series.map(one => one.symbol === "none" ? {name: one.name, itemStyle: {opacity: 0}} : {name: one.name})}),
    grid: {left: 48, right: 28, top: legend_height(names.map(name => `${name}   `), width), bottom: 44},
    tooltip: {...shared(colour).tooltip, trigger: "axis", formatter: params =>
      `<b>${several(Math.round(params[0].value[0]), "worker")}</b><br>` + params.map(p => `${p.marker}${safe(p.seriesName)}: ${times(p.value[1])}`).join("<br>")},
    xAxis: axis(colour, {type: "value", min: 1, max: ends.workers, name: "workers", nameLocation: "middle", nameGap: 26, minInterval: 1}),
    yAxis: axis(colour, {type: "value", min: 0, max: ends.speedup, axisLabel: {formatter: "{value}×"}}),
    series,
  };
}

function work_span_table(runs) {
  const with_both = name => of => [name, ...runs.map(run => run.work_span ? of(run.work_span) : "–")];
  return table("Work and span of the run", ["", ...runs.map((_, i) => runs.length > 1 ? letter(i) : "")], [
    with_both("Work: the time of all tasks")(s => time(s.work_ns)),
    with_both("Span: the longest chain of tasks that must run one after the other")(s => time(s.span_ns)),
    with_both("Parallelism: work over span, the number of workers that can be busy")(s => times(s.parallelism)),
    with_both("Burdened span: the span if each fork on it costs a steal")(s => time(s.burdened_span_ns)),
    with_both("Burdened parallelism")(s => times(s.burdened_parallelism)),
    with_both("Assumed cost of a steal")(s => time(s.burden_ns)),
    with_both("Forks")(s => count(s.forks)),
    with_both("Loops")(s => count(s.loops)),
    with_both("Group tasks")(s => count(s.group_tasks)),
    with_both("Parts treated as serial: those shorter than")(s => s.exact ? "none" : time(s.grain_ns)),
  ]);
}

function curve(runs) {
  const without = runs.map((run, i) => [run, i]).filter(([run]) => !run.work_span);
  const parts = [
    explained("With p workers, a program takes at least work/p and at least its span. Beyond the bend of the thick line, more workers do not help."),
    chart("curve", 380, "Speedup by the number of workers: predicted and measured", (colour, width) => curve_option(colour, runs, width)),
  ];
  for (const [, i] of without)
    parts.push(sentence(`${runs.length > 1 ? `${letter(i)}: ` : ""}This report has no work and span, so there is no predicted curve, only this run's own speedup.`, ...because(runs[i], /work and span|span/i)));
  if (without.length < runs.length) parts.push(work_span_table(runs));
  return parts;
}
