// Builds the page from top to bottom.

function notes(runs) {
  return [for_each_run(runs, run => run.notes.length === 0 ? [sentence("The report has no notes.")] :
    [element("ul", {class: "notes"}, ...run.notes.map(note => element("li", {}, note)))])];
}

function start() {
  const {activities, runs} = JSON.parse(document.getElementById("data").textContent);
  const parts = [
    ["time", "Time by activity", breakdown(runs, activities)],
    ["speed", "Speedup", curve(runs)],
    ["steals", "Steals", matrix(runs)],
    ["timeline", "Timeline", timeline(runs, activities)],
    ["lengths", "Durations of searches, steals and tasks", distributions(runs)],
    ["span", "Call sites on the span", sites(runs)],
    ...(runs.some(run => run.locks.length > 0) ? [["locks", "Waits for skua::mutex", locks(runs)]] : []),
    ["hardware", "Hardware counters", hardware(runs, activities)],
    ...(runs.some(run => run.simulated) ? [["simulated", "Caches and memories of the simulated machine", simulated(runs)]] : []),
    ["workers", "Workers", workers_table(runs, activities)],
    ["notes", "Notes", notes(runs)],
  ];
  const page = document.getElementById("page");
  page.append(headline(runs), element("nav", {"aria-label": "Contents"}, ...parts.map(([id, title]) => element("a", {href: `#${id}`}, title))),
      ...parts.map(([id, title, content]) => element("section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title), ...content)),
      element("footer", {}, `Written by skua; charts by Apache ECharts ${echarts.version}, Apache License 2.0. This page needs no network.`));
  window.skua_report = {charts};  // for tests, and to read a chart's data in the console
  draw_all();
}
