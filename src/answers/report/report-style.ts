import { PAGE_STYLE } from '../../core/page-style.ts';
import { CHART_STYLE } from './chart-style.ts';

/** The look of the report; it fits a mail, a phone and paper. */
export const REPORT_STYLE = `${PAGE_STYLE}${CHART_STYLE}
main { max-width: 1100px; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
.facts { color: var(--soft); font-size: .9rem; margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.wrong { border-left: 4px solid var(--bad); padding: .3rem .8rem; background: var(--side); overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 600; } .number { text-align: right; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 1.2rem; margin-top: 1.4rem; }
figure { margin: 0; padding: .9rem; background: var(--side); border: 1px solid var(--line); border-radius: 8px; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .3rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; } code { font-family: ui-monospace, monospace; font-size: .9em; }
@media print { details { display: none; } figure, tr { break-inside: avoid; } }
`;
