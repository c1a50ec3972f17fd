// The page from top to bottom.

function notes(runs) {
  return [for_each_run(runs, run => run.notes.length === 0 ? [sentence("The record has no notes.")] :
    [element("ul", {class: "notes"}, ...run.notes.map(note => element("li", {}, note)))])];
}

function start() {
  const {doings, runs} = JSON.parse(document.getElementById("data").textContent);
  const parts = [
    ["time", "Where the time went", breakdown(runs, doings)],
    ["speed", "How fast it could be", curve(runs)],
    ["steals", "Who stole from whom", matrix(runs)],
    ["timeline", "When it happened", timeline(runs, doings)],
    ["lengths", "How long things took", distributions(runs)],
    ["span", "What holds the span", sites(runs)],
    ["hardware", "What the hardware counted", hardware(runs, doings)],
    ...(runs.some(run => run.simulated) ? [["simulated", "Caches and memories of the simulated machine", simulated(runs)]] : []),
    ["workers", "Every worker", workers_table(runs, doings)],
    ["notes", "Notes", notes(runs)],
  ];
  const page = document.getElementById("page");
  page.append(headline(runs), element("nav", {"aria-label": "Contents"}, ...parts.map(([id, title]) => element("a", {href: `#${id}`}, title))),
      ...parts.map(([id, title, content]) => element("section", {id, "aria-labelledby": `${id}-title`}, element("h2", {id: `${id}-title`}, title), ...content)),
      element("footer", {}, `Written by skua; charts by Apache ECharts ${echarts.version}, Apache License 2.0. This page needs no network.`));
  window.skua_report = {charts};  // for tests, and for who wants a chart's numbers in the console
  draw_all();
}
