// Tables: the call sites on the span, waits for mutexes, hardware counters, a simulated machine, the workers.

function share_bar(share, text) {
  const bar = element("span", {class: "bar", style: `width: ${(100 * Math.min(1, share)).toFixed(1)}%`});
  return element("span", {}, text, element("span", {class: "bars"}, bar));
}

function sites(runs) {
  return [
    explained("The span is the longest chain of tasks that must run one after the other. More workers do not make it shorter. The call sites with the largest share of it are the ones to split or to speed up."),
    for_each_run(runs, run => {
      if (!run.work_span) return [sentence("This report has no work and span, so the call sites on the span are not known.", ...because(run, /work and span|span/i))];
      if (run.work_span.sites.length === 0) return [sentence("No call site forked, so none has a part of the span.")];
      const {span_ns, work_ns, sites} = run.work_span;
      return [table("Call sites by their share of the span", ["call site", "kind", "span", "share of the span", "work", "share of the work", "calls", "inside"],
          sites.map(site => [element("code", {}, site.place), site.kind, time(site.span_ns), share_bar(of_all(site.span_ns, span_ns), percent(of_all(site.span_ns, span_ns))),
            ...(site.kind === "serial" ? ["–", "–", "–", "–"] : [time(site.work_ns), percent(of_all(site.work_ns, work_ns)), count(site.times), count(site.inside || 0)])]), {words: [0, 1]})];
    }),
  ];
}

function locks(runs) {
  return [
    explained("Calls of lock() that found the mutex locked. A task first polls the mutex for a short time. Then it is queued for the mutex and suspended, and its worker runs other tasks if there are any."),
    for_each_run(runs, run => run.locks.length === 0 ? [sentence("No task waited for a mutex.")] :
      [table("Waits for mutexes, the longest first", ["lock() in", "waits", "queued", "time polling", "time queued"],
          run.locks.map(lock => [element("code", {}, lock.place), count(lock.times), count(lock.in_line), time(lock.spun_ns), time(lock.waited_ns)]))]),
  ];
}

function hardware_rows(run, activities) {
  const totals = run.hardware.map(event => activities.map((_, kind) => sum(event.workers.map(worker => worker[kind]))));
  const at = name => run.hardware.findIndex(event => event.event === name);
  const cycles = at("cycles"), instructions = at("instructions");
  const rate = kind => cycles >= 0 && instructions >= 0 && kind(totals[cycles]) > 0 ? (kind(totals[instructions]) / kind(totals[cycles])).toFixed(2) : "–";
  const row = (name, of) => [name, ...totals.map(values => short_count(of(values))), rate(of)];
  return [...activities.map((name, kind) => row(name, values => values[kind])), row("all", sum)];
}

function hardware(runs, activities) {
  return [
    explained("Events that the processor counted during each activity. Many misses in the program's own code mean that it waits for memory."),
    for_each_run(runs, run => {
      if (run.hardware.length === 0)
        return [sentence(run.simulated ? "A simulated run has no hardware counters; see the caches and memories of the model below." :
          "There are no hardware counts in this report.", ...because(run, /hardware|perf_event/i))];
      return [table("All workers, by activity", ["", ...run.hardware.map(event => event.event), "instructions per cycle"], hardware_rows(run, activities)),
        folded("Worker by worker", table("Events of each worker, all activities", ["worker", ...run.hardware.map(event => event.event)],
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
    series: [bar("read by its own package", node => node.bytes_read - node.bytes_read_remotely, colour.activity("user")),
      bar("read by other packages", node => node.bytes_read_remotely, colour.activity("claiming"), true), bar("written", node => node.bytes_written, colour.activity("asleep"))],
  };
}

function simulated(runs) {
  return [
    explained("Use of the simulated machine by the data that the tasks declared. Misses and reads from other packages cost most."),
    for_each_run(runs, (run, i) => {
      if (!run.simulated) return [sentence("This run was on a real machine.")];
      const {caches, nodes, transfers, times: of, cycles} = run.simulated, all = sum(Object.values(of));
      const parts = [];
      if (nodes.length > 0) parts.push(chart(`memories-${i}`, 240, "Bytes that each memory served", colour => memories_option(colour, nodes)));
      if (caches.length > 0) parts.push(table("Caches, in lines, all caches of a level together", ["level", "hits", "misses", "miss share", "prefetches", "evictions", "written back"],
          caches.map(c => [`L${c.level}`, count(c.hits), count(c.misses), percent(of_all(c.misses, c.hits + c.misses)), count(c.prefetches), count(c.evictions), count(c.write_backs)])));
      if (nodes.length > 0) parts.push(table("Memories", ["memory", "read", "by other packages", "written", "waiting for its controllers"],
          nodes.map((n, at) => [String(at), bytes(n.bytes_read), percent(of_all(n.bytes_read_remotely, n.bytes_read)), bytes(n.bytes_written), `${short_count(n.waiting_cycles)} cycles`])));
      if (transfers.length > 0) parts.push(table("Lines from the caches of other cores", ["distance", "scheduler", "declared data"],
          transfers.map(t => [t.distance, count(t.words), count(t.data)])));
      parts.push(table(`Time of all simulated threads, in cycles (the run took ${count(cycles)}): those of the workers and of the caller, which is asleep while another thread runs its worker`, ["", "cycles", "share"],
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

function workers_table(runs, activities) {
  return [
    explained("One row per worker: its CPU and its counters."),
    for_each_run(runs, run => {
      const kernel = run.workers.some(worker => worker.kernel);
      const heads = ["worker", "CPU", "domain", "package", "time", "your code", "skua", "asleep", "forks", "own tasks", "steals", "remote", "missed", "suspensions", "sleeps",
        ...(kernel ? ["on a CPU", "waiting for a CPU", "blocked", "preemptions"] : [])];
      return [table(`${several(run.workers.length, "worker")}${kernel ? "; the kernel counted the last four columns" : ""}`, heads,
          run.workers.map((worker, w) => worker_row(worker, w, kernel, activities.length - 1)), {tall: true})];
    }),
  ];
}
