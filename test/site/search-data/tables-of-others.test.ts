import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDemand } from '../../../src/site/search-data/read-demand.ts';
import { sampleOf } from '../../support/runs.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const { signal } = new AbortController();

/** Columns of tables that other products export, as their help pages and interfaces name them. `D` is a day, `U` a URL. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  'Core Web Vitals': [
    'Date,Poor,Need improvement,Good',
    'Date,Poor URLs,URLs need improvement,Good URLs',
    'URL,LCP,INP,CLS',
    'Date,Schlecht,Optimierung erforderlich,Gut',
    'Date,Mauvaises,À améliorer,Bonnes',
    'Fecha,Deficientes,Requieren mejoras,Buenas',
    'url,lcp_p75,inp_p75,cls_p75',
  ],
  'page indexing': [
    'Date,Not indexed,Indexed,Impressions',
    'Datum,Nicht indexiert,Indexiert,Impressionen',
    'Date,Non indexées,Indexées,Impressions',
    'Fecha,Sin indexar,Indexadas,Impresiones',
    'Data,Non indicizzate,Indicizzate,Impressioni',
    'Data,Não indexadas,Indexadas,Impressões',
    '日付,未登録,登録済み,表示回数',
    'Date,Error,Valid with warnings,Valid,Excluded',
    'Reason,Source,Validation,Pages',
  ],
  'rich results': ['Date,Invalid,Valid,Impressions', 'Date,Items,Errors,Warnings', 'Item name,Last crawled'],
  'crawl statistics': [
    'Date,Total crawl requests,Total download size (Bytes),Average response time (ms)',
    'Datum,Crawling-Anfragen insgesamt,Downloadgröße insgesamt (Byte),Durchschnittliche Reaktionszeit (ms)',
    'Date,Pages crawled per day,Kilobytes downloaded per day',
  ],
  links: [
    'Target page,Incoming links,Linking sites',
    'Site,Linking pages,Target pages',
    'Zielseite,Eingehende Links,Verweisende Websites',
  ],
  'Google Analytics': [
    'Date,Users,Sessions',
    'Date,Active users,New users',
    'Page path,Views,Users',
    'Landing page,Sessions,Active users,Key events',
    'Datum,Aktive Nutzer,Sitzungen',
    'Date,Utilisateurs,Sessions',
    'Fecha,Usuarios,Sesiones',
    'Data,Utenti,Sessioni',
    '日付,ユーザー,セッション',
    'date,totalUsers,sessions,screenPageViews',
    'date,ga:users,ga:sessions',
    'Nth day,Active users',
    'Landing page,Clicks,Sessions,Key events',
  ],
  advertising: [
    'Day,Clicks,Impr.,CTR,Cost',
    'Day,Campaign,Clicks,Impressions,CTR',
    'Search term,Match type,Clicks,Impr.,Avg. CPC',
    'Keyword,Clicks,Impressions,Spend',
    'Tag,Klicks,Impressionen,Kosten',
    'Jour,Clics,Impressions,Coût',
    'Día,Clics,Impresiones,Costo',
    'Giorno,Clic,Impressioni,Costo',
    'Dia,Cliques,Impressões,Custo',
    '日,クリック数,表示回数,費用',
    'Date,Link clicks,Impressions,Reach,Amount spent (USD)',
    'date,campaign_id,clicks,impressions,cost_micros',
    'Date,Impressions,Clicks,Conversions',
    'Gregorian date,Campaign name,Impressions,Clicks,Spend',
  ],
  Plausible: [
    'date,visitors,pageviews,bounce_rate',
    'name,visitors',
    'date,visitors,visits,pageviews,views_per_visit,bounce_rate,visit_duration',
  ],
  Matomo: [
    'date,nb_visits,nb_uniq_visitors,nb_actions',
    'label,nb_hits,nb_visits',
    'Date,Visits,Actions',
    'Label,Unique Pageviews,Pageviews',
  ],
  'other statistics': [
    'Date,Visitors,Views',
    'date,pageviews,uniques',
    'day,hits,bytes',
    'Date,Downloads,Installs',
    'Datum,Besucher,Seitenaufrufe',
    'Date,Visiteurs,Pages vues',
  ],
  Cloudflare: [
    'Date,Requests,Cached Requests,Bandwidth',
    'Date,Total Requests,Threats',
    'datetime,requests,bytes',
    'date,edgeRequests,cachedBytes',
    'Date,Unique Visitors,Total Requests',
  ],
  Yandex: [
    'Date,Shows,Clicks,CTR',
    'Дата,Спрос,Показы,Клики',
    'date,TOTAL_SHOWS,TOTAL_CLICKS',
    'Query,Demand,Shows,Clicks,Avg. show position',
    'Запрос,Показы,Клики,Позиция показа',
  ],
  Ahrefs: [
    'Keyword,Volume,KD,Traffic,Position',
    'Keyword,Current position,Current traffic,Volume',
    'URL,Traffic,Keywords',
    'Target,Domain Rating,Ref. domains,Backlinks',
    'Date,Organic traffic,Organic pages',
    'Referring page URL,Domain rating,UR',
  ],
  Semrush: [
    'Keyword,Position,Previous position,Search Volume,Traffic (%)',
    'Keyword,Search Volume,Keyword Difficulty,CPC',
    'Date,Organic Traffic,Organic Keywords',
    'URL,Traffic,Number of Keywords',
  ],
  'AI citations': [
    'Date,Citations,Cited Pages',
    'Date,AI citations,Impressions',
    'Grounding query,Citations',
    'Page,Citations',
    'date,prompt,mentions,share of voice',
  ],
  'rank trackers': [
    'Keyword,Rank,Search volume',
    'keyword,rank,url',
    'Keyword,Google Rank,Visibility',
    'Date,Visibility,Average rank',
  ],
  social: [
    'Date,Impressions,Likes,Shares',
    'Date,Impressions,Engagements,Clicks',
    'Date,Reach,Profile visits',
    'Video,Views,Watch time (hours),Impressions',
  ],
  mailings: ['Date,Sent,Opens,Clicks', 'Campaign,Delivered,Clicks,Unsubscribes'],
  shops: [
    'Date,Orders,Revenue',
    'Day,Sessions,Orders',
    'date,product_views,add_to_carts',
    'Tag,Bestellungen,Umsatz',
    'Month,Quantity,Price',
  ],
  'ad sellers': [
    'Date,Impressions,Clicks,Page RPM,Estimated earnings',
    'Date,Ad requests,Impressions,Revenue',
    'Date,Page views,Impressions,Clicks,CTR,Earnings',
  ],
  'anything else': [
    'Date,Temperature,Humidity',
    'date,a,b',
    'Day,Count,Total',
    'Datum,Anzahl,Summe',
    'Date,Open,Close,Volume',
    'date,cases,deaths',
    'ID,Created,Size',
    'Page,Words,Links',
    'url,status_code,depth',
    'Address,Status Code,Inlinks',
    'Date,Min,Max',
    'Jahr,Monat,Wert',
    'page,score,seconds',
    'Query,Count,Seconds',
  ],
};

/** A cell of a column: a day, a URL, a name, or whole numbers that a reader by shape would take for clicks. */
function cell(column: string, at: number, isFirst: boolean): string {
  if (isFirst && /url|page|seite|address|target|site|label/i.test(column)) return `https://e.example/${at}`;
  if (
    isFirst &&
    /^(?:date|datum|data|fecha|day|tag|jour|d[ií]a|giorno|日|datetime|дата|gregorian|jahr|month)/i.test(
      column,
    )
  )
    return `2026-10-${String(at + 1).padStart(2, '0')}`;
  if (isFirst) return `name ${at}`;
  if (/name|campaign|type|prompt|reason|source|created|^url$/i.test(column)) return 'brand';
  return String(12 * (at + 1) + column.length);
}

const CASES = Object.entries(TABLES).flatMap(([product, headers]) =>
  headers.flatMap((header) =>
    [',', ';', '\t'].map((delimiter) => ({ product, header: header.split(','), delimiter })),
  ),
);

test('there are more than a hundred tables', () => {
  expect(Object.values(TABLES).flat().length).toBeGreaterThan(100);
});

test('a table of another product never counts as clicks, whatever its shape', async () => {
  const folder = await temporaryFolder();
  const taken: string[] = [];
  for (const [at, { product, header, delimiter }] of sampleOf(CASES).entries()) {
    const path = join(folder, `${at}.csv`);
    const rows = Array.from({ length: 5 }, (_, row) =>
      header.map((one, place) => cell(one, row, place === 0)),
    );
    await writeFile(path, `${[header, ...rows].map((row) => row.join(delimiter)).join('\n')}\n`);
    try {
      const options = { period: { from: '2026-10-01', to: '2026-10-31' }, dimensions: null };
      for (const { tables } of await readDemand([path], options, signal))
        for (const table of tables)
          for await (const record of table.records(signal))
            if ('row' in record) taken.push(`${product}: ${header.join(delimiter)}`);
    } catch {
      // Refused, which is right for each of them.
    }
  }
  expect([...new Set(taken)]).toEqual([]);
});
