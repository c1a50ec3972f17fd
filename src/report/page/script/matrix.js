// Steals: a heat map of thieves and victims, with the workers of a domain side by side.

const measures = [["steals", "steals", count], ["misses", "missed attempts", count], ["looks", "looks of the policy", count], ["bytes", "bytes declared by stolen tasks", bytes]];
const column_of = {steals: 2, misses: 3, looks: 4, bytes: 5};
const max_cells = 96;  // workers in one picture; with more, the domains are drawn until the reader selects workers

/// The rows and columns: workers or domains, each with its package and domain, neighbours side by side.
function seats_of(run, by_domain) {
  const order = run.workers.map((worker, w) => ({...worker, w}))
      .sort((a, b) => a.package - b.package || a.domain - b.domain || a.w - b.w);
  const rows = [], row_of = [];
  for (const one of order) {
    const last = rows[rows.length - 1];
    if (!by_domain || !last || last.domain !== one.domain || last.package !== one.package)
      rows.push({name: by_domain ? `domain ${one.domain}` : `${one.w}`, domain: one.domain, package: one.package});
    row_of[one.w] = rows.length - 1;
  }
  return {rows, row_of};
}

function cells_of(run, seats) {
  const cells = new Map();
  for (const [thief, victim, ...values] of run.pairs) {
    const x = seats.row_of[victim], y = seats.row_of[thief], key = y * seats.rows.length + x;
    const cell = cells.get(key) || [x, y, 0, 0, 0, 0];
    values.forEach((value, i) => { cell[2 + i] += value; });
    cells.set(key, cell);
  }
  return [...cells.values()];
}

/// The beginnings of domains, [row, 1 if a package begins]; with domains as rows, those of packages.
function borders_of(seats, by_domain) {
  const borders = [];
  seats.rows.forEach((row, i) => {
    const before = seats.rows[i - 1];
    if (!before) return;
    if (row.package !== before.package) borders.push([i, i, 1]);
    else if (row.domain !== before.domain && !by_domain) borders.push([i, i, 0]);
  });
  return borders;
}

/// One line before the row, and one before the column.
function border(colour) {
  return (params, api) => {
    const [x, y] = api.coord([api.value(0), api.value(1)]), [width, height] = api.size([1, 1]), area = params.coordSys;
    const style = {stroke: colour.border, lineWidth: api.value(2) ? 2.5 : 1};
    const line = (x1, y1, x2, y2) => ({type: "line", shape: {x1, y1, x2, y2}, style});
    return {type: "group", children: [line(x - width / 2, area.y, x - width / 2, area.y + area.height),
      line(area.x, y - height / 2, area.x + area.width, y - height / 2)]};
  };
}

/// The maximum of a measure in the cells of all runs, so that a colour means the same in both.
function max_of(runs, measure, by_domain) {
  return Math.max(1, ...runs.map((run, i) => cells_of(run, seats_of(run, by_domain[i])).reduce((max, cell) => Math.max(max, cell[column_of[measure]]), 0)));
}

function matrix_option(colour, run, measure, by_domain, max) {
  const seats = seats_of(run, by_domain), column = column_of[measure];
  const [, name_of_measure, show] = measures.find(one => one[0] === measure);
  const data = cells_of(run, seats).filter(cell => cell[column] > 0);
  const names = seats.rows.map(row => row.name);
  const what = by_domain ? "" : "worker ";
  const sides = more => axis(colour, {type: "category", data: names, nameLocation: "middle", ...more,
    axisTick: {show: false}, axisLabel: {formatter: name => by_domain ? name.replace("domain ", "") : name}});
  return {
    grid: {left: 62, right: 14, top: 10, bottom: 96},
    tooltip: {...shared(colour).tooltip, formatter: ({value}) => {
      const [thief, victim] = [seats.rows[value[1]], seats.rows[value[0]]];
      return `<b>${what}${thief.name}</b> from <b>${what}${victim.name}</b><br>` +
        measures.map(([, label, form], i) => `${label}: ${form(value[2 + i])}`).join("<br>") +
        (by_domain ? "" : `<br>${thief.domain === victim.domain ? `both in domain ${thief.domain}` : `from domain ${victim.domain} to domain ${thief.domain}`}`);
    }},
    xAxis: sides({name: `victim ${by_domain ? "domain" : "worker"}`, nameGap: 24}),
    yAxis: sides({name: `thief ${by_domain ? "domain" : "worker"}`, nameGap: 36, inverse: true}),
    visualMap: {type: "continuous", min: 0, max, dimension: column, calculable: false, orient: "horizontal", left: "center", bottom: 0,
      itemWidth: 12, itemHeight: 160, text: [`${show(max)}`, "0"], textStyle: {color: colour.text}, inRange: {color: colour.heat}},
    series: [{name: name_of_measure, type: "heatmap", data, progressive: 8000, progressiveThreshold: 12000,
      itemStyle: {borderWidth: names.length > 40 ? 0 : 1, borderColor: colour.surface}, emphasis: {itemStyle: {borderColor: colour.border, borderWidth: 2}}},
    {name: "borders", type: "custom", silent: true, z: 5, data: borders_of(seats, by_domain), renderItem: border(colour)}],
  };
}

function distance_table(run) {
  if (run.counts.steals === 0) return [];
  const declared = run.distances.some(row => row[3] > 0);
  return [table("Steals by distance, the nearest first", ["distance", "steals", "share", ...(declared ? ["declared data"] : [])],
      run.distances.map(([name, steals, share, data]) => [name, count(steals), percent(share), ...(declared ? [bytes(data)] : [])]))];
}

function borders_table(run) {
  const kinds = ["within a domain", "between domains of a package", "between packages"];
  const sums = kinds.map(() => [0, 0, 0, 0]);
  for (const [thief, victim, ...values] of run.pairs) {
    const [a, b] = [run.workers[thief], run.workers[victim]];
    const kind = a.package !== b.package ? 2 : a.domain !== b.domain ? 1 : 0;
    values.forEach((value, i) => { sums[kind][i] += value; });
  }
  const rows = kinds.map((name, i) => [name, ...measures.map(([, , form], m) => form(sums[i][m]))]).filter((_, i) => sum(sums[i]) > 0);
  return table("Steals within and between domains", ["", "steals", "missed", "looks", "bytes"], rows);
}

function matrix(runs) {
  const chosen = {measure: "steals", by_domain: runs.map(run => run.workers.length > max_cells)};
  const again = () => runs.forEach((run, i) => { if (charts.has(`matrix-${i}`)) draw(`matrix-${i}`); });
  const choices = element("p", {}, choice("Show", measures, value => { chosen.measure = value; again(); }));
  if (chosen.by_domain.includes(true))
    choices.append(choice("by", [["domains", "domains"], ["workers", "workers"]], value => { chosen.by_domain.fill(value === "domains"); again(); }));
  return [
    explained("A row is a thief, a column a victim, and the colour the number of steals. Thin lines separate domains and thick lines packages, so steals outside of the blocks on the diagonal are remote."),
    ...(runs.some(run => run.pairs.length > 0) ? [choices] : []),
    for_each_run(runs, (run, i) => run.pairs.length === 0 ? [sentence("No worker looked at or stole from another one in this run.")] : [
      element("div", {class: runs.length > 1 ? "" : "pair"}, chart(`matrix-${i}`, 520, "Heat map of steals: thieves in rows, victims in columns; the tables beside have the sums",
          colour => matrix_option(colour, run, chosen.measure, chosen.by_domain[i], max_of(runs, chosen.measure, chosen.by_domain))),
      element("div", {}, borders_table(run), ...distance_table(run)))]),
  ];
}
