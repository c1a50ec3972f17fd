// The charts of the page. They are drawn one after the other, so that the first ones are visible early, and again when the
// reader switches between light and dark.

const charts = new Map();  // id -> {box, option, instance}
const waiting = [];        // ids to draw
const dark = matchMedia("(prefers-color-scheme: dark)");

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(`--${name}`).trim();
  return {text: of("text"), muted: of("muted"), line: of("line"), surface: of("surface"),
    heat: [of("heat-low"), of("heat-high")], border: of("heat-border"), runs: [of("run-0"), of("run-1")],
    activity: name => of(name.replace(" ", "-")), of};
}

/// Options of all charts. Without animation the final state is visible at once.
const shared = colour => ({
  animation: false,
  textStyle: {color: colour.text, fontFamily: "system-ui, 'Segoe UI', 'Liberation Sans', sans-serif", fontSize: 12},
  tooltip: {confine: true, backgroundColor: colour.surface, borderColor: colour.line, textStyle: {color: colour.text, fontSize: 13},
    extraCssText: "max-width: 20rem; white-space: normal;"},
});
const axis = (colour, more) => ({
  nameTextStyle: {color: colour.muted}, axisLabel: {color: colour.muted, hideOverlap: true, ...more.axisLabel},
  axisLine: {show: true, lineStyle: {color: colour.muted}}, axisTick: {lineStyle: {color: colour.muted}},
  splitLine: {lineStyle: {color: colour.line}, ...more.splitLine},
  ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== "axisLabel" && key !== "splitLine")),
});
const legend = (colour, more = {}) => ({
  type: "plain", icon: "roundRect", textStyle: {color: colour.text}, inactiveColor: colour.muted, itemWidth: 14, itemHeight: 10, top: 0, ...more});

/// The height of a legend with these names on a chart of this width.
function legend_height(names, width) {
  let rows = 1, at = 0;
  for (const name of names) {
    const own = name.length * 6.6 + 40;
    if (at > 0 && at + own > width) { ++rows; at = 0; }
    at += own;
  }
  return rows * 18 + 16;
}

/// A box for a chart. `option(colours, width)` returns its content; `label` describes it for screen readers.
function chart(id, height, label, option) {
  const box = element("div", {class: "chart", id, role: "img", "aria-label": label, style: `height: ${height}px`});
  // The library consumes all wheel events over a chart that can zoom, with any key: the page would not scroll.
  box.addEventListener("wheel", event => { if (!event.ctrlKey) event.stopPropagation(); }, {capture: true, passive: true});
  charts.set(id, {box, option, instance: null});
  waiting.push(id);
  return box;
}

function draw(id) {
  const one = charts.get(id);
  if (!one.instance) {
    one.instance = echarts.init(one.box, null, {renderer: "canvas"});
    new ResizeObserver(() => {
      if (one.box.clientWidth === one.width) return;
      one.instance.resize();
      draw(id);
    }).observe(one.box);
  }
  const finished = new Promise(done => {
    const seen = () => { one.instance.off("finished", seen); done(); };
    one.instance.on("finished", seen);
  });
  const colour = colours();
  one.width = one.box.clientWidth;
  one.instance.setOption({...shared(colour), ...one.option(colour, one.width)}, {notMerge: true});
  return finished;
}

const soon = () => new Promise(done => setTimeout(done, 0));

/// Draws all waiting charts, and marks the time when they are finished.
async function draw_all() {
  const finished = [];
  while (waiting.length > 0) {
    finished.push(draw(waiting.shift()));
    await soon();
  }
  await Promise.all(finished);
  performance.mark("skua-drawn");
}

dark.addEventListener("change", () => charts.forEach((_, id) => draw(id)));

/// A selector above a chart, which is then drawn again. `choices`: [value, text].
function choice(title, choices, chosen) {
  const select = element("select", {}, ...choices.map(([value, text]) => element("option", {value}, text)));
  select.addEventListener("change", () => chosen(select.value));
  return element("label", {}, `${title} `, select);
}
