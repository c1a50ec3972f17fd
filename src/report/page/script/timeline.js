// The activities of the workers over time: all together, and one lane for each.

const max_stacked_lanes = 16;  // with more workers, a lane shows only the longest activity of an interval

/// The mean shares of all workers.
function together_of(timeline) {
  const length = Math.max(...timeline.workers.map(shares => shares.length));
  return Array.from({length}, (_, at) => sum(timeline.workers.map(shares => shares[at] || 0)) / timeline.workers.length);
}

/// By activity: [from ms, to ms, lane, lower and upper edge of the lane's height, interval, number of intervals].
function stacked_lanes(lanes, width, ms) {
  const drawn = Array.from({length: width}, () => []);
  lanes.forEach((shares, row) => {
    let low = 0;
    shares.forEach((share, at) => {
      const kind = at % width, i = (at - kind) / width;
      if (kind === 0) low = 0;
      if (share >= 2) drawn[kind].push([ms(i), ms(i + 1), row, low / 1000, (low + share) / 1000, i, 1]);
      low += share;
    });
  });
  return drawn;
}

/// The same with only the longest activity of each interval; equal neighbours are joined.
function plain_lanes(lanes, width, ms) {
  const drawn = Array.from({length: width}, () => []);
  lanes.forEach((shares, row) => {
    let before = -1, open = null;
    for (let i = 0; i * width < shares.length; ++i) {
      const here = shares.slice(i * width, (i + 1) * width), max = Math.max(...here), kind = max > 0 ? here.indexOf(max) : -1;
      if (kind >= 0 && kind === before) {
        open[1] = ms(i + 1);
        ++open[6];
      } else if (kind >= 0) {
        drawn[kind].push(open = [ms(i), ms(i + 1), row, 0, 1, i, 1]);
      }
      before = kind;
    }
  });
  return drawn;
}

function lane(colour) {
  return (params, api) => {
    const [from, middle] = api.coord([api.value(0), api.value(2)]), [to] = api.coord([api.value(1), api.value(2)]);
    const band = api.size([0, 1])[1], height = band > 6 ? band * .86 : band, low = middle + height / 2;
    // No gaps between thin lanes: the end of one and the beginning of the next are rounded to the same side.
    const edge = share => band > 6 ? low - height * share : Math.round(low - height * share + .001);
    const x = Math.round(from), y = edge(api.value(4)), area = params.coordSys;
    const shape = echarts.graphic.clipRectByRect(
        {x, y, width: Math.max(Math.round(to) - x, 1), height: edge(api.value(3)) - y},
        {x: area.x, y: area.y, width: area.width, height: area.height});
    return shape && {type: "rect", shape, style: {fill: colour}};
  };
}

/// The tooltip of a part of a lane.
function lane_text(name, shares, activities, value) {
  const of = activities.map((activity, kind) => [activity, sum(Array.from({length: value[6]}, (_, i) => shares[(value[5] + i) * activities.length + kind] || 0)) / value[6] / 1000]);
  return `<b>${name}</b>, ${time(value[0] * 1e6)} to ${time(value[1] * 1e6)}<br>` +
    of.filter(one => one[1] >= .005).map(([activity, share]) => `${safe(activity)}: ${percent(share)}`).join("<br>");
}

function timeline_option(colour, timeline, activities, end_ms, width) {
  const all = [together_of(timeline)], ms = i => i * timeline.interval_ns / 1e6, top = legend_height(activities, width);
  const many = timeline.workers.length > max_stacked_lanes;
  const above = stacked_lanes(all, activities.length, ms), below = (many ? plain_lanes : stacked_lanes)(timeline.workers, activities.length, ms);
  const moments = more => axis(colour, {type: "value", min: 0, max: end_ms, ...more});
  const rows = more => axis(colour, {type: "category", inverse: true, axisTick: {show: false}, axisLine: {show: false}, ...more});
  const series = (name, kind, place, data, words) => ({name, type: "custom", xAxisIndex: place, yAxisIndex: place, renderItem: lane(colour.activity(name)),
    itemStyle: {color: colour.activity(name)}, encode: {x: [0, 1], y: 2}, data: data[kind], progressive: 4000, progressiveThreshold: 6000,
    tooltip: {formatter: ({value}) => words(value)}});
  return {
    legend: legend(colour, {data: activities}),
    tooltip: shared(colour).tooltip,
    // Of the same width, whatever their labels are.
    grid: [{top, height: 96}, {top: top + 110, bottom: 74}].map(part => ({left: 54, right: 30, outerBoundsMode: "none", ...part})),
    xAxis: [moments({gridIndex: 0, axisLabel: {show: false}, axisTick: {show: false}, splitLine: {show: false}}),
      moments({gridIndex: 1, axisLabel: {formatter: value => time(value * 1e6)}})],
    yAxis: [rows({gridIndex: 0, data: ["all"]}),
      rows({gridIndex: 1, data: timeline.workers.map((_, w) => String(w)), axisLabel: {interval: Math.ceil(timeline.workers.length / 32) - 1}, name: "worker", nameLocation: "middle", nameGap: 36})],
    dataZoom: [{type: "slider", xAxisIndex: [0, 1], bottom: 14, height: 24, filterMode: "none", showDataShadow: false,
      labelFormatter: value => time(value * 1e6), textStyle: {color: colour.muted}, borderColor: colour.line},
    {type: "inside", xAxisIndex: [0, 1], filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, preventDefaultMouseMove: false}],
    series: activities.flatMap((name, kind) => [
      series(name, kind, 0, above, value => lane_text("all workers", all[0], activities, value)),
      series(name, kind, 1, below, value => lane_text(`worker ${value[2]}`, timeline.workers[value[2]], activities, value))]),
  };
}

function timeline(runs, activities) {
  const end = Math.max(...runs.map(run => run.timeline.interval_ns * Math.max(0, ...run.timeline.workers.map(shares => shares.length / activities.length)) / 1e6));
  return [
    explained("Time runs from left to right. The upper part shows all workers together, the lower part one lane per worker. To zoom, drag the ends of the bar below, or hold Ctrl and turn the wheel."),
    for_each_run(runs, (run, i) => {
      const workers = run.timeline.workers.length;
      if (workers === 0) return [sentence("This report has no times by interval, so there is no timeline.")];
      const parts = [chart(`timeline-${i}`, 290 + Math.min(460, Math.max(60, 28 * workers)), "Activity of each worker over time; the breakdown has the sums",
          (colour, width) => timeline_option(colour, run.timeline, activities, end, width))];
      if (workers > max_stacked_lanes) parts.push(sentence(`With ${count(workers)} workers, a lane shows the activity that took the largest part of each interval.`));
      return parts;
    }),
  ];
}
