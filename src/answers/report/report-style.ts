import { PAGE_STYLE } from '../../core/text/page-style.ts';
import { CHART_STYLE } from './chart-style.ts';

/** The look of the report; it fits a mail, a phone and paper. */
export const REPORT_STYLE = `${PAGE_STYLE}${CHART_STYLE}
main { max-width: 1100px; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.6rem; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
section { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 1rem; }
.facts { color: var(--soft); font-size: .9rem; margin: .2rem 0 .6rem; overflow-wrap: anywhere; }
.wrong { border-left: 4px solid var(--bad); padding: .3rem .8rem; background: var(--side); overflow-wrap: anywhere; }
h2 a { color: inherit; }
.verdict { background: var(--side); border: 1px solid var(--line); border-left: 4px solid var(--link); border-radius: 6px; padding: .5rem 1rem; margin: .8rem 0; }
.verdict p { margin: .25rem 0; overflow-wrap: anywhere; }
.prose { min-width: 18rem; max-width: 34rem; vertical-align: top; } .prose p { margin: .1rem 0; font-weight: 400; font-size: .9em; color: var(--soft); }
td { vertical-align: top; } .example { white-space: normal; min-width: 14rem; max-width: 26rem; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem 1.1rem .3rem 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; } tbody th { font-weight: 600; white-space: normal; min-width: 8rem; max-width: 26rem; overflow-wrap: anywhere; } .number { text-align: right; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 1.2rem; margin-top: 1.4rem; }
figure { margin: 0; padding: .9rem; background: var(--side); border: 1px solid var(--line); border-radius: 8px; min-width: 0; }
figcaption { font-weight: 600; margin-bottom: .3rem; }
summary { cursor: pointer; color: var(--link); font-size: .9rem; } code { font-family: ui-monospace, monospace; font-size: .9em; }
@media (max-width: 600px) { .prose { min-width: 11rem; } th, td { padding-right: .7rem; } }
@media print { details { display: none; } figure, tr { break-inside: avoid; } }
`;
