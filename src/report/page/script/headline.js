// The program, its speed and its limit.

const facts = pairs => element("dl", {class: "facts"}, ...pairs.filter(pair => pair[1] !== "")
    .map(([name, text]) => element("div", {}, element("dt", {}, name), element("dd", {}, text))));

function machine_text(machine) {
  const parts = [[machine.packages, "package"], [machine.domains, `${machine.domain_kind || ""} domain`.trim()],
    [machine.cores, "core"], [machine.pus, "hardware thread"]].filter(([number]) => number > 0);
  const shape = parts.map(([number, thing]) => several(number, thing)).join(", ");
  return `${machine.source}${machine.simulated ? " (simulated)" : ""}${shape ? `: ${shape}` : ""}`;
}

function verdict(run) {
  const {limit, sentence: text, advice, evidence} = run.verdict;
  const box = element("div", {class: limit === "nothing" ? "verdict fine" : "verdict"},
      element("span", {class: "muted"}, "Limit: ", element("b", {}, limit)), element("strong", {}, text));
  if (evidence.length > 0) box.append(element("ul", {}, ...evidence.map(line => element("li", {}, line))));
  if (advice) box.append(element("p", {}, advice));
  return box;
}

function tile(title, value, below) {
  return element("div", {class: "tile"}, element("span", {}, title), element("b", {}, value), element("span", {}, below));
}

const user = 0;
const asleep = run => run.summary.share[run.summary.share.length - 1];

function tiles(run) {
  const of = run.summary;
  return element("div", {class: "tiles"},
      tile("Speedup", times(of.speedup), `on ${several(of.workers, "worker")}, ${of.speedup_measured ?
          "over a run on one worker" : "estimated: user time over wall time"}`),
      tile("Efficiency", percent(of.efficiency), "speedup divided by workers"),
      tile("Time", seconds(of.seconds), of.outside_seconds > 0 ? `and ${seconds(of.outside_seconds)} outside of skua` :
          "in the scheduler"),
      tile("Your code", percent(of.share[user]), "of the workers' time"),
      tile("skua", percent(of.library), "forks, steals and waits"),
      tile("Asleep", percent(asleep(run)), "no work to do"),
      tile("Steals", short_count(run.counts.steals), run.counts.steals > 0 ?
          `${percent(of.remote_share)} from another domain; ${percent(of.miss_share)} of the attempts missed` :
          "no task was stolen"));
}

const how_known = run => run.summary.speedup_measured ? "measured" : "estimated";

/// Two estimates or two measurements may be compared, but not an estimate with a measurement.
function speedup_rows(a, b) {
  const alike = how_known(a) === how_known(b), by = of => alike ? ratio(of(a), of(b)) : "–";
  const speedup = run => alike ? times(run.summary.speedup) : `${times(run.summary.speedup)}, ${how_known(run)}`;
  return [[alike ? `Speedup, ${how_known(a)}` : "Speedup", speedup(a), speedup(b), by(run => run.summary.speedup)],
    ["Efficiency", percent(a.summary.efficiency), percent(b.summary.efficiency), by(run => run.summary.efficiency)]];
}

function compared(runs) {
  const [a, b] = runs;
  const row = (name, of, text) => [name, text(of(a)), text(of(b)), ratio(of(a), of(b))];
  return table("Both runs in numbers", ["", "A", "B", "B / A"], [
    row("Time in the scheduler", run => run.summary.seconds, seconds),
    row("Time outside of skua", run => run.summary.outside_seconds, seconds),
    row("Workers", run => run.summary.workers, count),
    ...speedup_rows(a, b),
    row("Your code's share", run => run.summary.share[user], percent),
    row("skua's share", run => run.summary.library, percent),
    row("Asleep", asleep, percent),
    row("Your code's time, all workers", run => run.ns[user], time),
    row("Forks", run => run.counts.forks, count),
    row("Steals", run => run.counts.steals, count),
    row("From another domain", run => run.summary.remote_share, percent),
    row("Missed attempts", run => run.summary.miss_share, percent),
  ], {compares: true});
}

function headline(runs) {
  const header = element("header", {class: "card"}, element("div", {class: "brand"}, "skua report"));
  header.append(for_each_run(runs, run => [
    element(runs.length > 1 ? "p" : "h1", {class: "program"}, element("code", {}, run.program || "a program")),
    facts([["on", machine_text(run.machine)], ["policy", run.policy], ["workers", count(run.summary.workers)],
      ["seed", String(run.seed)], ["model", run.machine.level], ["ended", run.when && `${run.when} UTC`]]),
    ...(run.machine.tree ? [folded("The machine and its workers", element("pre", {tabindex: "0"}, run.machine.tree))] : []),
    verdict(run), ...(runs.length > 1 ? [] : [tiles(run)])]));
  if (runs.length > 1) {
    header.insertBefore(element("h1", {}, "Two runs side by side"), header.children[1]);
    header.append(compared(runs));
  }
  return header;
}
