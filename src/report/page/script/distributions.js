// Durations: counts by powers of two.

const lowest = index => index === 0 ? 0 : 2 ** (index - 1);
const kinds = [
  ["steal_latency", "Searches that found a task", "Time from the beginning of a search to the start of the stolen task."],
  ["search_time", "All searches", "The same, with searches that ended without a task."],
  ["steal_duration", "Successful steals", "Time from the attempt at one victim to the start of the task."],
  ["task_size", "Stolen tasks", "Time for which the thief ran a stolen task. Tasks should be much longer than a steal."],
];

function distribution_text(of) {
  return `${several(of.number, "value")}: half below ${time(of.median)}, 90% below ${time(of.p90)}, 99% below ${time(of.p99)}; minimum ${time(of.min)}, maximum ${time(of.max)}, mean ${time(of.mean)}.`;
}

function distribution_option(colour, runs, key) {
  const present = runs.flatMap(run => run[key].counts.map((number, c) => number > 0 ? c : -1)).filter(c => c >= 0);
  const first = Math.min(...present), last = Math.max(...present);
  const classes = Array.from({length: last - first + 1}, (_, i) => first + i);
  return {
    legend: runs.length > 1 ? legend(colour) : {show: false},
    grid: {left: 50, right: 14, top: runs.length > 1 ? 34 : 14, bottom: 44},
    tooltip: {...shared(colour).tooltip, trigger: "axis", axisPointer: {type: "shadow"}, formatter: params => {
      const c = classes[params[0].dataIndex];
      return `<b>${time(lowest(c))} to ${time(lowest(c + 1))}</b><br>` + params.map(p => `${p.marker}${safe(p.seriesName)}: ${percent(p.value)} (${count(p.data.number)})`).join("<br>");
    }},
    xAxis: axis(colour, {type: "category", data: classes.map(c => time(lowest(c))), name: "lower end of the interval", nameLocation: "middle", nameGap: 26}),
    yAxis: axis(colour, {type: "value", axisLabel: {formatter: round_percent}}),
    series: runs.map((run, i) => ({name: runs.length > 1 ? letter(i) : "share of all", type: "bar", barCategoryGap: "12%",
      itemStyle: {color: colour.runs[i], decal: i ? {color: "rgba(0,0,0,.25)", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: .785} : null},
      data: classes.map(c => ({value: of_all(run[key].counts[c] || 0, run[key].number), number: run[key].counts[c] || 0}))})),
  };
}

function distributions(runs) {
  const parts = kinds.map(([key, title, text]) => {
    const part = element("div", {}, element("h3", {}, title), explained(text));
    if (runs.every(run => run[key].number === 0)) {
      part.append(sentence("This report has none."));
      return part;
    }
    part.append(chart(`distribution-${key}`, 230, `${title}: number by duration`, colour => distribution_option(colour, runs, key)));
    runs.forEach((run, i) => part.append(sentence(`${runs.length > 1 ? `${letter(i)}: ` : ""}${run[key].number ? distribution_text(run[key]) : "none."}`)));
    return part;
  });
  return [explained("Each bar spans [label, 2 × label)."), element("div", {class: "pair"}, ...parts)];
}
