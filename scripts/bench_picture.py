"""A bench's figures as a picture for the README: bars of ours and the peer's, a panel a question. The same document
gives the same bytes; colours follow the reader's light or dark page."""

import math
from html import escape

WIDTH, LEFT, RIGHT = 760, 200, 110
BAR, GAP, HEAD, FOOT = 13, 11, 46, 30
LOG_FROM = 20.0  # where the greatest is so many times the least, bars show logarithms

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .note { font-size: 11px; fill: #59636e; }
  .ours { fill: #0a7d55; }
  .peer { fill: #98a2ad; }
  .axis { stroke: #8c959f; stroke-width: 1; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #9198a1; }
    .ours { fill: #3fb98a; }
    .peer { fill: #6e7681; }
  }
"""


def number(value: float) -> str:
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


class Scale:
    def __init__(self, values: list[float]):
        positive = [value for value in values if value > 0]
        self.most = max(positive, default=1.0)
        self.logarithmic = self.most >= LOG_FROM * min(positive, default=1.0)
        self.base = min(positive, default=1.0) / 2

    def length(self, value: float) -> float:
        if value <= 0:
            return 0
        share = value / self.most
        if self.logarithmic:
            share = math.log(value / self.base) / math.log(self.most / self.base)
        return round(share * (WIDTH - LEFT - RIGHT), 1)


def panel(title: str, figures: list[dict], top: float) -> tuple[list[str], float]:
    scale = Scale([value for figure in figures for value in (figure["value"], figure["peer"]) if value is not None])
    note = "logarithmic scale" if scale.logarithmic else ""
    out = [f'<text class="title" x="12" y="{top + 20:g}">{escape(title)}<tspan class="note" dx="8">{note}</tspan></text>']
    y = top + HEAD - 12
    begin = y - 4
    for figure in figures:
        out.append(f'<text x="{LEFT - 10}" y="{y + BAR + 5:g}" text-anchor="end">{escape(figure["label"])}</text>')
        for kind in ("value", "peer"):
            value = figure[kind]
            if value is None:
                text = "not measured"
                length = 0.0
            else:
                text = number(value)
                length = scale.length(value)
                style = "ours" if kind == "value" else "peer"
                out.append(f'<rect class="{style}" x="{LEFT}" y="{y:g}" width="{length:g}" height="{BAR}"/>')
            out.append(f'<text class="note" x="{LEFT + length + 6:g}" y="{y + BAR - 3:g}">{text}</text>')
            y += BAR + 1
        y += GAP
    out.append(f'<line class="axis" x1="{LEFT}" y1="{begin:g}" x2="{LEFT}" y2="{y - GAP + 4:g}"/>')
    return out, y + 6


def draw(document: dict) -> str:
    panels: dict[str, list[dict]] = {}
    for figure in document["figures"]:
        if figure["panel"]:
            panels.setdefault(figure["panel"], []).append(figure)
    body: list[str] = []
    y = 34.0
    for title, figures in panels.items():
        lines, y = panel(title, figures, y)
        body += lines
    where = document["machine"]
    foot = f'{where["cpus"]} x {where["processor"]}, {where["time"][:10]}; ./run bench {document["name"]}'
    height = y + FOOT
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" '
            f'aria-label="heddle beside OpenSM: {escape("; ".join(panels))}">',
            f"<style>{STYLE}</style>",
            '<rect class="ours" x="12" y="14" width="13" height="13"/><text x="31" y="25">heddle</text>',
            '<rect class="peer" x="96" y="14" width="13" height="13"/><text x="115" y="25">OpenSM 3.3.23</text>',
            *body,
            f'<text class="note" x="12" y="{height - 10:g}">{escape(foot)}</text>',
            "</svg>",
            "",
        ]
    )
