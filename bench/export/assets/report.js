// Draws the plots that the page's data describes. It decides nothing and computes
// no figure; without it the tables are still there.
(function () {
  "use strict";
  const charts = JSON.parse(document.getElementById("charts").textContent) || [];
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = (i) => color("--c" + (((i - 1) % 6) + 1));

  function digits(v) {
    const size = Math.abs(v);
    if (v === 0) return "0";
    if (size >= 99.95) return v.toFixed(0);
    if (size >= 9.995) return v.toFixed(1);
    if (size >= 0.9995) return v.toFixed(2);
    return v.toPrecision(3);
  }
  function scaled(v, steps) {
    for (const [from, by, unit] of steps) if (Math.abs(v) >= from) return digits(v / by) + unit;
    return digits(v);
  }
  const kilo = [[999.5e6, 1e9, "G"], [999.5e3, 1e6, "M"], [999.5, 1e3, "k"]];
  const say = {
    ns: (v) => v === 0 ? "0 s" : scaled(v, [[999.5e6, 1e9, " s"], [999.5e3, 1e6, " ms"], [999.5, 1e3, " µs"], [0, 1, " ns"]]),
    s: (v) => digits(v) + " s",
    per_s: (v) => scaled(v, kilo) + "/s",
    count: (v) => Number.isInteger(v) && Math.abs(v) < 1e4 ? String(v) : scaled(v, kilo),
    ratio: (v) => digits(v * 100) + " %",
    percentile: (v) => v === 1 ? "0 %" : (100 - 100 / v).toFixed(Math.max(0, Math.ceil(Math.log10(v)) - 1)) + " %",
  };
  // Axis labels are round numbers: their zeros say nothing.
  const axisSay = (unit) => (v) => v == null ? "" : say[unit](v).replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");

  function legible(values, unit, log) {
    const narrow = log && values.length > 0 && values[values.length - 1] <= 100 * values[0];
    return values.map((v) => {
      if (v == null) return "";
      const first = v.toExponential()[0];
      if (log && unit !== "percentile" && first !== "1" && !(narrow && (first === "2" || first === "5"))) return "";
      return axisSay(unit)(v);
    });
  }

  const isPercentile = (c) => c.xUnit === "percentile";
  const sync = uPlot.sync("time");

  function options(c, width) {
    const height = c.kind === "scatter" ? 340 : 250;
    const font = "12px system-ui, sans-serif";
    const axis = (unit, log, more) => Object.assign({
      stroke: color("--quiet"), font, grid: { stroke: color("--grid"), width: 1 }, ticks: { stroke: color("--grid"), size: 4 },
      values: (u, splits) => legible(splits, unit, log),
    }, more);
    const x = axis(c.xUnit, c.xLog, { size: 34 });
    if (isPercentile(c)) {
      const marks = [2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
      x.splits = (u) => marks.filter((m) => m <= u.scales.x.max && m >= u.scales.x.min);
      x.filter = (u, splits) => splits;
    }
    if (c.xLabel) { x.label = c.xLabel; x.labelSize = 20; x.labelFont = font; }
    const y = axis(c.yUnit, c.yLog, { size: 62 });
    if (c.yLog) y.filter = (u, splits) => splits;
    const series = [{ label: isPercentile(c) ? "percentile" : c.xLabel || "time", value: (u, v) => v == null ? "" : say[c.xUnit](v) }];
    for (const s of c.series) {
      const stroke = palette(s.color);
      const one = {
        label: s.label, stroke, width: 1.8, dash: s.dash ? [5, 4] : undefined,
        fill: s.fill ? stroke + "1f" : undefined, spanGaps: false,
        points: { show: s.values.filter((v) => v != null).length < 40, size: 5, fill: stroke, stroke },
        value: (u, v) => v == null ? "" : say[c.yUnit](v),
      };
      if (c.kind === "scatter") {
        one.paths = () => null;
        one.points = { show: true, size: s.color === 1 ? 11 : 8, fill: stroke + (s.color === 1 ? "" : "99"), stroke: s.color === 1 ? color("--paper") : stroke, width: 1 };
        one.fill = undefined;
      }
      if (c.kind === "bars") {
        one.paths = uPlot.paths.bars({ size: [0.8, 40] });
        one.fill = stroke + "cc";
        one.width = 0;
        one.points = { show: false };
      }
      series.push(one);
    }
    const opts = {
      width, height, series, axes: [x, y], legend: { live: true },
      scales: {
        x: c.xLog ? { time: false, distr: 3, log: 10, range: (u, min, max) => [min, max] } : { time: false, range: pad(c) },
        y: c.yLog ? { distr: 3, log: 10, range: decades(c) } : { range: (u, min, max) => [Math.min(0, min), max > 0 ? max * 1.06 : 1] },
      },
      cursor: { points: { size: 7 }, drag: { x: true, y: false } },
      hooks: { draw: [(u) => bounds(u, c), (u) => uprights(u, c)] },
    };
    if (c.xUnit === "s") opts.cursor.sync = { key: sync.key, setSeries: false };
    return opts;
  }

  // Whole decades, as few as hold the values and the bounds.
  function decades(c) {
    return (u, min, max) => {
      for (const b of c.bounds || []) if (b.y > 0) { min = Math.min(min, b.y); max = Math.max(max, b.y); }
      if (!(min > 0)) return [1, 10];
      return [Math.pow(10, Math.floor(Math.log10(min) + 1e-9)), Math.pow(10, Math.ceil(Math.log10(max * 1.02)))];
    };
  }
  function pad(c) {
    return (u, min, max) => {
      if (min == null) return [0, 1];
      if (c.kind === "bars") return [min - 1, max + 1];
      const by = c.kind === "scatter" ? (max - min || Math.abs(max) || 1) * 0.06 : 0;
      return min === max ? [min - 0.5 - by, max + 0.5 + by] : [min - by, max + by];
    };
  }
  const labelFont = () => 11 * devicePixelRatio + "px system-ui, sans-serif";
  // How many values of a plot lie where a label of that width would stand.
  function covered(u, left, width, bottom) {
    let n = 0;
    u.data[0].forEach((x, i) => {
      const at = u.valToPos(x, "x", true);
      if (at < left || at > left + width) return;
      for (const values of u.data.slice(1)) {
        const y = values[i] == null ? -1 : u.valToPos(values[i], "y", true);
        if (y > bottom - 16 * devicePixelRatio && y < bottom + 3 * devicePixelRatio) n++;
      }
    });
    return n;
  }
  function bounds(u, c) {
    for (const b of c.bounds || []) {
      if (b.y == null) continue;
      const at = u.valToPos(b.y, "y", true), ctx = u.ctx;
      if (at < u.bbox.top || at > u.bbox.top + u.bbox.height) continue;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = color("--c3");
      ctx.setLineDash([6, 5]);
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(u.bbox.left, at);
      ctx.lineTo(u.bbox.left + u.bbox.width, at);
      ctx.stroke();
      ctx.font = labelFont();
      const text = "SLO " + b.label, by = 4 * devicePixelRatio, y = at - 6 * devicePixelRatio;
      const wide = ctx.measureText(text).width + 2 * by;
      // Along the line from its right end, where the fewest values are.
      const places = [1, 0.75, 0.5, 0.25, 0].map((part) => u.bbox.left + part * (u.bbox.width - wide));
      const hidden = places.map((left) => covered(u, left, wide, y));
      ctx.textAlign = "left";
      ctx.fillText(text, places[hidden.indexOf(Math.min(...hidden))] + by, y);
      ctx.restore();
    }
  }

  // Vertical lines; the labels of neighbours stand below one another.
  function uprights(u, c) {
    (c.uprights || []).forEach((b, i) => {
      if (b.x == null || b.x < u.scales.x.min || b.x > u.scales.x.max) return;
      const at = u.valToPos(b.x, "x", true), ctx = u.ctx, left = at > u.bbox.left + u.bbox.width / 2;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = color("--quiet");
      ctx.setLineDash([2, 3]);
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(at, u.bbox.top);
      ctx.lineTo(at, u.bbox.top + u.bbox.height);
      ctx.stroke();
      ctx.font = labelFont();
      ctx.textAlign = left ? "right" : "left";
      ctx.fillText(b.label + " " + say[c.xUnit](b.x), at + (left ? -4 : 4) * devicePixelRatio, u.bbox.top + (12 + 13 * i) * devicePixelRatio);
      ctx.restore();
    });
  }

  let drawn = [];
  function drawAll() {
    for (const u of drawn) u.destroy();
    drawn = [];
    for (const figure of document.querySelectorAll("[data-chart]")) {
      const c = charts.find((c) => c.id === figure.dataset.chart);
      if (!c) continue;
      figure.textContent = "";
      const caption = document.createElement("figcaption");
      caption.textContent = c.title;
      figure.append(caption);
      const opts = options(c, Math.max(220, figure.clientWidth));
      if (c.kind === "scatter") {
        const hover = document.createElement("p");
        hover.className = "hover";
        hover.textContent = "point at a mark for its settings";
        opts.hooks.setCursor = [(u) => { if (u.cursor.idx != null && c.names) hover.textContent = c.names[u.cursor.idx]; }];
        figure.append(hover);
      }
      const positive = (v) => c.yLog && !(v > 0) ? null : v;
      drawn.push(new uPlot(opts, [c.x].concat(c.series.map((s) => s.values.map(positive))), figure));
    }
  }
  function fit() {
    for (const u of drawn) {
      const width = Math.max(220, u.root.parentNode.clientWidth);
      if (width !== u.width) u.setSize({ width, height: u.height });
    }
  }
  drawAll();
  let soon;
  addEventListener("resize", () => { clearTimeout(soon); soon = setTimeout(fit, 60); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  addEventListener("beforeprint", () => { document.documentElement.classList.add("printing"); drawAll(); });
  addEventListener("afterprint", () => { document.documentElement.classList.remove("printing"); drawAll(); });
})();
