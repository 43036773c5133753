import type { UrlStory } from '../../../answers/explore/url/read-url.ts';
import { lineChart } from '../../../answers/report/charts.ts';
import { countText } from '../../../core/text/amounts.ts';
import { type Html, html } from '../../../core/text/html.ts';
import { table } from '../layout/table.ts';

/** Requests of bots and people, and search results, day by day. */
export function drawUrlTraffic({ url, hits, demand, empty }: UrlStory): Html {
  return html`<h2>Visits</h2>${hits === null ? none(empty.hits) : drawHits(url, hits)}
<h2>Demand</h2>${demand === null ? none(empty.demand) : drawDemand(url, demand)}`;
}

function none(why = 'nothing is known'): Html {
  return html`<p class="empty">${why.charAt(0).toUpperCase()}${why.slice(1)}.</p>`;
}

/** A day as charts have it. */
const onDay = <T extends { readonly day: string }>(one: T): T & { readonly ended_at: string } => ({
  ...one,
  ended_at: `${one.day.slice(0, 10)}T00:00:00.000Z`,
});

function drawHits(url: string, { from, to, days, bots }: NonNullable<UrlStory['hits']>): Html {
  const chart = lineChart(`Visits of ${url}`, days.map(onDay), [
    { name: 'search bots', value: ({ search_bot_hits }) => search_bot_hits },
    { name: 'AI bots', value: ({ ai_bot_hits }) => ai_bot_hits },
    { name: 'people', value: ({ visits }) => visits },
  ]);
  const logged = days.filter(({ has_logs }) => has_logs).length;
  return html`<p class="facts">Requests by day, from ${from.slice(0, 10)} to ${to.slice(0, 10)}: ${countText(logged)} days with log files${logged < days.length ? `, ${countText(days.length - logged)} without` : null}.</p>
<figure>${chart}<details><summary>The figures</summary>${table(
    'Visits by day',
    [
      { name: 'day', cell: ({ day }) => day.slice(0, 10) },
      { name: 'all', isNumber: true, cell: (one) => (one.has_logs ? one.hits : 'no logs') },
      { name: 'search bots', isNumber: true, cell: (one) => one.search_bot_hits },
      { name: 'Google', isNumber: true, cell: (one) => one.google_bot_hits },
      { name: 'Bing', isNumber: true, cell: (one) => one.bing_bot_hits },
      { name: 'AI bots', isNumber: true, cell: (one) => one.ai_bot_hits },
      { name: 'unverified', isNumber: true, cell: (one) => one.unverified_bot_hits },
      { name: 'people', isNumber: true, cell: (one) => one.visits },
      { name: 'last status', isNumber: true, cell: (one) => one.last_status_code },
    ],
    days,
    '',
  )}</details></figure>
${table(
  'Bots',
  [
    { name: 'bot', cell: ({ engine, bot_class }) => engine ?? bot_class.replaceAll('_', ' ') },
    { name: 'kind', cell: ({ bot_class }) => bot_class.replaceAll('_', ' ') },
    { name: 'requests', isNumber: true, cell: (one) => countText(one.hits) },
    { name: 'last day', cell: ({ last_day }) => last_day.slice(0, 10) },
  ],
  bots,
  'No bot asked for it on these days.',
)}`;
}

function drawDemand(url: string, demand: NonNullable<UrlStory['demand']>): Html {
  const { from, to, clicks, impressions, days, queries } = demand;
  const chart = lineChart(`Demand for ${url}`, days.map(onDay), [
    { name: 'clicks', value: (one) => one.clicks },
    { name: 'impressions', value: (one) => one.impressions },
  ]);
  return html`<p class="facts">${countText(clicks)} clicks and ${countText(impressions)} impressions in search results from ${from.slice(0, 10)} to ${to.slice(0, 10)}.</p>
${
  days.length === 0
    ? null
    : html`<figure>${chart}<details><summary>The figures</summary>${table(
        'Demand by day',
        [
          { name: 'day', cell: ({ day }) => day.slice(0, 10) },
          { name: 'clicks', isNumber: true, cell: (one) => one.clicks },
          { name: 'impressions', isNumber: true, cell: (one) => one.impressions },
          { name: 'position', isNumber: true, cell: (one) => one.position },
        ],
        days,
        '',
      )}</details></figure>`
}
${table(
  'Queries',
  [
    { name: 'query', cell: ({ query }) => query },
    { name: 'clicks', isNumber: true, cell: (one) => countText(one.clicks) },
    { name: 'impressions', isNumber: true, cell: (one) => countText(one.impressions) },
    { name: 'position', isNumber: true, cell: (one) => one.position },
  ],
  queries,
  'No queries are loaded.',
)}`;
}
