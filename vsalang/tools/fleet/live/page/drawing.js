// Draws a phone's screen and a map. What is drawn was sent by devices: it only ever becomes text and numbers.
const SVG = "http://www.w3.org/2000/svg";

export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

const number = (value) => (Number.isFinite(value) ? value : 0);

export function phone(drawing, target) {
  if (!drawing || (!drawing.boxes.length && !drawing.rows.length)) {
    const none = document.createElement("p");
    none.className = "empty";
    none.textContent = "No screen was recorded.";
    return none;
  }
  if (!drawing.boxes.length) {
    const list = document.createElement("ul");
    list.className = "rows";
    for (const row of drawing.rows) {
      const item = document.createElement("li");
      item.textContent = row;
      list.append(item);
    }
    return list;
  }
  const width = Math.max(1, number(drawing.width)), height = Math.max(1, number(drawing.height));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "phone", role: "img", "aria-label": "The phone's screen" });
  picture.append(svg("rect", { class: "back", x: 0, y: 0, width, height, rx: width / 40 }));
  for (const box of drawing.boxes) {
    const on = box.on ? " on" : "", off = box.off ? " off" : "";
    const kind = ["text", "control", "field", "image", "group", "pane"].includes(box.kind) ? box.kind : "group";
    picture.append(svg("rect", { class: `box ${kind}${on}${off}`, x: number(box.x), y: number(box.y),
      width: Math.max(0, number(box.width)), height: Math.max(0, number(box.height)), rx: width / 120 }));
    for (const [top, text] of box.lines) {
      const at = { x: number(box.x) + (box.middle ? number(box.width) / 2 : width / 90), y: number(top), "font-size": Math.max(1, number(box.size)) };
      const line = svg("text", { ...at, class: `says${off}`, "text-anchor": box.middle ? "middle" : "start" });
      line.textContent = text;
      picture.append(line);
    }
  }
  if (target) {
    const near = width / 60;
    if (target.width && target.height) {
      picture.append(svg("rect", { class: "target", x: number(target.x) - near / 2, y: number(target.y) - near / 2,
        width: number(target.width) + near, height: number(target.height) + near, rx: near }));
    } else if (target.x || target.y) {
      picture.append(svg("circle", { class: "target", cx: number(target.x), cy: number(target.y), r: near * 2 }));
    }
  }
  return picture;
}

const COLUMN = 190, ROW = 62, BOX = 150, HIGH = 34;

export function map(data) {
  const at = new Map(data.nodes.map((node) => [node.name, node]));
  const columns = Math.max(1, ...data.nodes.map((node) => node.column + 1));
  const rows = Math.max(1, ...data.nodes.map((node) => node.row + 1));
  const picture = svg("svg", { viewBox: `0 0 ${columns * COLUMN} ${rows * ROW + 20}`, class: "map", role: "img", "aria-label": "The screens that were seen" });
  for (const way of data.ways) {
    const from = at.get(way.from), to = at.get(way.to);
    if (!from || !to) continue;
    const x1 = from.column * COLUMN + BOX, y1 = from.row * ROW + HIGH / 2 + 10;
    const x2 = to.column * COLUMN, y2 = to.row * ROW + HIGH / 2 + 10;
    const back = to.column <= from.column;
    const path = back
      ? `M ${x1 - BOX / 2} ${y1 + HIGH / 2} C ${x1 - BOX / 2} ${y1 + 50}, ${x2 + BOX / 2} ${y2 + 50}, ${x2 + BOX / 2} ${y2 + HIGH / 2}`
      : `M ${x1} ${y1} C ${x1 + 30} ${y1}, ${x2 - 30} ${y2}, ${x2} ${y2}`;
    const line = svg("path", { d: path, class: back ? "way back" : "way", "stroke-width": Math.min(6, 1 + Math.log2(1 + way.count)) });
    const title = svg("title");
    title.textContent = `${way.by} (${way.count})`;
    line.append(title);
    picture.append(line);
  }
  for (const node of data.nodes) {
    const group = svg("g", { class: node.here ? "node here" : "node" });
    group.append(svg("rect", { x: node.column * COLUMN, y: node.row * ROW + 10, width: BOX, height: HIGH, rx: 6 }));
    const text = svg("text", { x: node.column * COLUMN + BOX / 2, y: node.row * ROW + 10 + HIGH / 2 + 4, "text-anchor": "middle" });
    const short = node.name.split(":").pop();
    text.textContent = short.length > 20 ? `${short.slice(0, 19)}…` : short;
    const title = svg("title");
    title.textContent = node.name;
    group.append(text, title);
    picture.append(group);
  }
  return picture;
}
