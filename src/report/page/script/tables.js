// What is best read as a table: the places that hold the span, counts of the hardware, a simulated machine, every worker.

function share_bar(share, words) {
  const bar = element("span", {class: "bar", style: `width: ${(100 * Math.min(1, share)).toFixed(1)}%`});
  return element("span", {}, words, element("span", {class: "bars"}, bar));
}

function sites(runs) {
  return [
    explained("The span is the chain of tasks that no number of workers makes shorter; the places with most of it are the ones to split or to speed up."),
    for_each_run(runs, run => {
      if (!run.structure) return [sentence("The fork-join structure is not in this record, so nobody knows which places hold the span.", ...because(run, /structure|span/i))];
      if (run.structure.sites.length === 0) return [sentence("No place in the program forked, so none holds a part of the span.")];
      const {span_ns, work_ns, sites} = run.structure;
      return [table("Places in the program by their part of the span", ["place", "kind", "span", "share of the span", "work", "share of the work", "calls", "inside"],
          sites.map(site => [element("code", {}, site.place), site.kind, time(site.span_ns), share_bar(of_all(site.span_ns, span_ns), percent(of_all(site.span_ns, span_ns))),
            ...(site.kind === "serial" ? ["–", "–", "–", "–"] : [time(site.work_ns), percent(of_all(site.work_ns, work_ns)), count(site.times), count(site.inside || 0)])]), {words: [0, 1]})];
    }),
  ];
}

function hardware_rows(run, doings) {
  const totals = run.hardware.map(event => doings.map((_, kind) => sum(event.workers.map(worker => worker[kind]))));
  const at = name => run.hardware.findIndex(event => event.event === name);
  const cycles = at("cycles"), instructions = at("instructions");
  const rate = kind => cycles >= 0 && instructions >= 0 && kind(totals[cycles]) > 0 ? (kind(totals[instructions]) / kind(totals[cycles])).toFixed(2) : "–";
  const row = (name, of) => [name, ...totals.map(values => short_count(of(values))), rate(of)];
  return [...doings.map((name, kind) => row(name, values => values[kind])), row("all", sum)];
}

function hardware(runs, doings) {
  return [
    explained("What the processor counted while the workers did each thing; many misses in the program's own code mean that it waits for memory."),
    for_each_run(runs, run => {
      if (run.hardware.length === 0)
        return [sentence(run.simulated ? "In a simulated run there are no counters of hardware; the model's caches and memories below take their place." :
          "There are no hardware counts in this record.", ...because(run, /hardware|perf_event/i))];
      return [table("All workers, by what they did", ["", ...run.hardware.map(event => event.event), "instructions a cycle"], hardware_rows(run, doings)),
        folded("Worker by worker", table("All that each worker did", ["worker", ...run.hardware.map(event => event.event)],
            run.workers.map((_, w) => [String(w), ...run.hardware.map(event => short_count(sum(event.workers[w])))]), {tall: true}))];
    }),
  ];
}

function memories_option(colour, nodes) {
  const bar = (name, of, tint, decal) => ({name, type: "bar", stack: name === "written" ? "written" : "read", data: nodes.map(of),
    itemStyle: {color: tint, decal: decal && {color: "rgba(0,0,0,.25)", dashArrayX: [1, 0], dashArrayY: [2, 4], rotation: .785}}});
  return {
    legend: legend(colour), grid: {left: 64, right: 14, top: 34, bottom: 44},
    tooltip: {...shared(colour).tooltip, trigger: "axis", axisPointer: {type: "shadow"}, formatter: params =>
      `<b>memory ${safe(params[0].name)}</b><br>` + params.map(p => `${p.marker}${safe(p.seriesName)}: ${bytes(p.value)}`).join("<br>")},
    xAxis: axis(colour, {type: "category", data: nodes.map((_, i) => String(i)), name: "memory", nameLocation: "middle", nameGap: 26}),
    yAxis: axis(colour, {type: "value", axisLabel: {formatter: bytes}}),
    series: [bar("read by its own package", node => node.bytes_read - node.bytes_read_remotely, colour.doing("user")),
      bar("read by others", node => node.bytes_read_remotely, colour.doing("claiming"), true), bar("written", node => node.bytes_written, colour.doing("asleep"))],
  };
}

function simulated(runs) {
  return [
    explained("What the parts of the simulated machine did with the data that the tasks declared; misses and reads from other packages cost most."),
    for_each_run(runs, (run, i) => {
      if (!run.simulated) return [sentence("This run was on a real machine.")];
      const {caches, nodes, transfers, times: of, cycles} = run.simulated, all = sum(Object.values(of));
      const parts = [];
      if (nodes.length > 0) parts.push(chart(`memories-${i}`, 240, "Bytes that each memory served", colour => memories_option(colour, nodes)));
      if (caches.length > 0) parts.push(table("Caches, in lines, all of a level together", ["level", "hits", "misses", "miss share", "prefetches", "evictions", "written back"],
          caches.map(c => [`L${c.level}`, count(c.hits), count(c.misses), percent(of_all(c.misses, c.hits + c.misses)), count(c.prefetches), count(c.evictions), count(c.write_backs)])));
      if (nodes.length > 0) parts.push(table("Memories", ["memory", "read", "by other packages", "written", "waiting at its controllers"],
          nodes.map((n, at) => [String(at), bytes(n.bytes_read), percent(of_all(n.bytes_read_remotely, n.bytes_read)), bytes(n.bytes_written), `${short_count(n.waiting_cycles)} cycles`])));
      if (transfers.length > 0) parts.push(table("Lines from the caches of other cores", ["how far", "skua's own words", "declared data"],
          transfers.map(t => [t.distance, count(t.words), count(t.data)])));
      parts.push(table(`What the virtual threads did, in cycles of all together (the run took ${count(cycles)}): the workers', and the caller's, which sleeps when it lends its place`, ["", "cycles", "share"],
          Object.entries(of).filter(one => one[1] > 0).sort((a, b) => b[1] - a[1]).map(([name, number]) => [name, count(number), percent(of_all(number, all))])));
      return parts;
    }),
  ];
}

function worker_row(worker, w, kernel, last) {
  const all = sum(worker.ns), of = worker.counts;
  return [String(w), String(worker.cpu), String(worker.domain), String(worker.package), time(all), percent(of_all(worker.ns[user], all)),
    percent(of_all(all - worker.ns[user] - worker.ns[last], all)), percent(of_all(worker.ns[last], all)), count(of.forks), count(of.own_tasks), count(of.steals),
    count(of.remote_steals), count(of.misses), count(of.suspensions), count(of.sleeps),
    ...(kernel ? worker.kernel ? [time(worker.kernel.on_cpu_ns), time(worker.kernel.waiting_ns), time(worker.kernel.blocked_ns), count(worker.kernel.preemptions)] :
      ["–", "–", "–", "–"] : [])];
}

function workers_table(runs, doings) {
  return [
    explained("One row a worker: where it sat and what it counted."),
    for_each_run(runs, run => {
      const kernel = run.workers.some(worker => worker.kernel);
      const heads = ["worker", "CPU", "domain", "package", "time", "your code", "skua", "asleep", "forks", "own tasks", "steals", "remote", "in vain", "suspensions", "sleeps",
        ...(kernel ? ["got a CPU", "waited for a CPU", "blocked", "lost its CPU"] : [])];
      return [table(`${several(run.workers.length, "worker")}${kernel ? "; the last four columns are the kernel's" : ""}`, heads,
          run.workers.map((worker, w) => worker_row(worker, w, kernel, doings.length - 1)), {tall: true})];
    }),
  ];
}
