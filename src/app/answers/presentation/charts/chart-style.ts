/** The style of charts and of the first things to do, in addition to PAGE_STYLE. */
export const CHART_STYLE = `
figure svg.chart { display: block; width: 100%; max-width: 640px; height: auto; overflow: visible; --plot-background: transparent; }
.chart text { white-space: pre; }
.mark .value { visibility: hidden; font-weight: 600; fill: var(--ink); stroke: var(--side); stroke-width: 4px; paint-order: stroke; pointer-events: none; }
.mark:is(:hover, :focus-visible) .value { visibility: visible; }
.mark:is(:hover, :focus-visible) :is(rect, circle) { stroke: var(--ink); stroke-width: 1.5px; }
.mark:focus-visible { outline: none; } .mark:focus-visible :is(rect, circle) { stroke: var(--link); stroke-width: 3px; }
.mark .near { fill: transparent; stroke: none !important; }
.mark line.near { stroke: transparent !important; stroke-width: 10; } .mark line.note { stroke: var(--warn); stroke-width: 1.5; stroke-dasharray: 4 3; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; margin: 0 0 .3rem; padding: 0; font-size: .85rem; color: var(--soft); }
.legend b { color: var(--ink); font-variant-numeric: tabular-nums; }
.panel { display: flex; flex-wrap: wrap; gap: 0 .7rem; align-items: baseline; margin: .5rem 0 0; font-size: .9rem; color: var(--soft); }
.panel b { font-size: 1.15rem; color: var(--ink); font-variant-numeric: tabular-nums; }
.sparkline { display: inline-block; vertical-align: middle; overflow: visible; }
.sparkline path { fill: none; stroke: var(--link); stroke-width: 1.5; } .sparkline circle { fill: var(--link); }
.scroll table:has(.weight) { width: 100%; }
@media (min-width: 601px) { table:has(.weight) tbody th { width: 100%; min-width: 13rem; max-width: 0; } }
table:has(.weight) tbody th p { margin: .1rem 0 0; font-weight: 400; font-size: .9em; color: var(--soft); }
table:has(.weight) tbody th p + p { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 100%; } table:has(.weight) th p + p a { color: inherit; }
table:has(.weight) td { white-space: nowrap; } table:has(.weight) :is(th, td).number { padding-left: .5rem; } .unknown { color: var(--soft); font-size: .85em; }
table:has(.weight) td > span:is(.bad, .warn, .plain)::before { content: ''; display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: .3em; background: currentColor; }
.weight { color: var(--soft); } .bad { color: var(--bad); } .warn { color: var(--warn); } .weight rect { fill: currentColor; } .weight .all { fill: var(--line); }
.scroll .bars { width: 100%; border-collapse: collapse; font-size: .92rem; }
.bars :is(th, td) { padding: .25rem .6rem .25rem 0; border: 0; white-space: nowrap; vertical-align: middle; }
.bars thead th { color: var(--soft); font-size: .85rem; }
.bars tbody th { max-width: 14rem; overflow: hidden; text-overflow: ellipsis; text-align: left; font-weight: 400; }
.bars .bar { width: 100%; min-width: 5rem; } .bars .bar svg { display: block; width: 100%; height: 1.1rem; }
.bars .number { text-align: right; }
@media (max-width: 600px) { .chart text { font-size: 18px; } .bars tbody th { max-width: 6rem; white-space: normal; } .bars :is(th, td) { padding-right: .4rem; } .bars .bar { min-width: 3rem; } }
`;
