// Numbers as text, and elements from text. All text of the record goes through textContent or safe().

const scaled = (value, units) => {
  let unit = 0;
  while (unit + 1 < units.length && Math.abs(value) >= .9995 * units[unit + 1][0]) ++unit;  // not "1000 ms"
  const shown = value / units[unit][0];
  const digits = shown === 0 || Math.abs(shown) >= 100 ? 0 : Math.abs(shown) >= 10 ? 1 : 2;
  return `${Number(shown.toFixed(digits))} ${units[unit][1]}`;
};
const time = ns => ns === 0 ? "0" : scaled(ns, [[1, "ns"], [1e3, "µs"], [1e6, "ms"], [1e9, "s"]]);
const seconds = value => time(value * 1e9);
const bytes = value => scaled(value, [[1, "B"], [1e3, "kB"], [1e6, "MB"], [1e9, "GB"], [1e12, "TB"]]);
const count = value => Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const short_count = value => value < 10000 ? count(value) : scaled(value, [[1, ""], [1e3, "k"], [1e6, "M"], [1e9, "G"]]);
const percent = share => {
  const value = share * 100;
  if (value > 0 && value < .05) return "<0.1%";
  const nearly_all = value >= 99.5 && value < 99.95;
  return `${nearly_all || (value !== 0 && Math.abs(value) < 9.95) ? value.toFixed(1) : Math.round(value)}%`;
};
const round_percent = share => `${Number((share * 100).toFixed(1))}%`;  // for axes
const times = value => `${value >= 100 ? Math.round(value) : Number(value.toPrecision(3))}×`;
/// Short, so that a phone shows it: the time of an activity may be nanoseconds in one run and milliseconds in the other.
const ratio = (from, to) => {
  if (!(from > 0 && to > 0)) return "–";
  const value = to / from;
  return value < .01 ? "<0.01×" : value > 1000 ? ">1000×" : times(value);
};
const of_all = (part, all) => all > 0 ? part / all : 0;
const sum = values => values.reduce((all, one) => all + one, 0);
const several = (number, thing) => `${count(number)} ${thing}${number === 1 ? "" : "s"}`;

/// Text for the HTML of a chart's tooltip.
const safe = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

/// An element with attributes and children; a string among them becomes text.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const explained = text => element("p", {class: "explained"}, text);
const sentence = (...texts) => element("p", {class: "muted"}, ...texts);
/// The record's notes about a missing part.
const because = (run, about) => run.notes.filter(note => about.test(note)).map(note => ` ${note}${/[.!?]$/.test(note) ? "" : "."}`);

/// Rows of strings or elements. `words`: the columns that contain text, not numbers. `compares`: two runs, whose columns
/// must all be seen at once, also on a phone.
function table(caption, heads, rows, {words = [0], tall = false, compares = false} = {}) {
  const kind = column => words.includes(column) ? {class: "words"} : {};
  const head = heads.map((text, column) => element("th", {scope: "col", ...kind(column)}, text));
  const body = rows.map(row => element("tr", {}, ...row.map((cell, column) =>
      column === 0 ? element("th", {scope: "row"}, cell) : element("td", kind(column), cell))));
  return element("div", {class: tall ? "wide tall" : "wide", tabindex: "0", role: "region", "aria-label": caption},
      element("table", compares ? {class: "compares"} : {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)),
          element("tbody", {}, ...body)));
}

const folded = (title, ...content) => element("details", {}, element("summary", {}, title), ...content);

/// "A", "B" for two runs.
const letter = index => "AB"[index];
const badge = index => element("span", {class: `badge run-${index}`}, letter(index));

/// One part per run, side by side if there is room.
function for_each_run(runs, part) {
  const panels = runs.map((run, index) => {
    const panel = element("div");
    if (runs.length > 1) panel.append(element("h3", {}, badge(index), run.name));
    panel.append(...part(run, index));
    return panel;
  });
  return element("div", {class: runs.length > 1 ? "runs two" : "runs"}, ...panels);
}
