import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loadSettings } from '../../../src/app/settings/load-settings.ts';
import { forgetSecrets } from '../../../src/core/secrets/redact.ts';
import { stringifyJson } from '../../../src/core/text/json.ts';
import {
  checkCrawlText,
  crawlFileOf,
  crawlFileText,
} from '../../../src/etl/project/settings/crawls/crawl-file.ts';
import { loadNotes } from '../../../src/etl/project/settings/notes.ts';
import { loadPipelines } from '../../../src/etl/project/settings/pipelines.ts';
import { loadSchedules } from '../../../src/etl/project/settings/schedules.ts';
import { loadSegmentations } from '../../../src/etl/project/settings/segments.ts';
import { loadTickets } from '../../../src/etl/project/settings/tickets/tickets.ts';
import { fuzzFolder } from '../folder.ts';
import { called, Fault, same, type Target, type Verdict } from '../target.ts';

interface YamlTarget {
  readonly name: string;
  /** Below the project folder. */
  readonly file: string;
  readonly load: (folder: string) => Promise<unknown>;
  readonly seeds: readonly string[];
  readonly words: readonly string[];
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
const shipped = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const WORDS = [
  '&a',
  '*a',
  '<<: *a',
  '!!js/function',
  '!!binary',
  '? ',
  ': ',
  '- ',
  '|',
  '>',
  '{}',
  '[]',
  '---',
  '...',
  '%YAML 1.1',
  '"\\x00"',
  'null',
  '~',
  '1e3',
  '0o17',
  '0x1f',
  '.inf',
  '.nan',
  '9007199254740993',
];

/** A YAML file of a project: it is taken, or refused with the file, its line and what is wrong. */
function yamlTarget({ name, file, load, seeds, words }: YamlTarget): Target {
  return {
    name,
    seeds,
    words: [...words, ...WORDS],
    shortRound: 300,
    async open() {
      const { folder, close } = fuzzFolder();
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      return {
        close,
        async check(input): Promise<Verdict> {
          writeFileSync(path, input);
          const found = await called(async () => {
            try {
              return await load(folder);
            } catch (error) {
              const { message } = error as Error;
              const lines = input.toString().split('\n').length;
              const [, line] = new RegExp(`${file.replaceAll('.', '\\.')}:(\\d+)`).exec(message) ?? [];
              if (!message.includes(file)) throw new Fault('a refusal names no file', message);
              if (line !== undefined && !(Number(line) >= 1 && Number(line) <= lines))
                throw new Fault('a refusal names a line that is not there', message);
              throw error;
            }
          });
          if (found === undefined) return 'refused';
          const text = stringifyJson(found.value) ?? '';
          same(stringifyJson(await load(folder)), text, 'a second reading');
          for (const [digits] of input.toString().matchAll(/(?<![\w.+-])\d{16,30}(?![\w.+-])/g))
            if (
              text.includes(String(Number(digits))) &&
              !text.includes(digits) &&
              String(Number(digits)) !== digits
            )
              throw new Fault('a whole number is rounded', digits);
          return 'taken';
        },
      };
    },
  };
}

export const segmentsYaml = yamlTarget({
  name: 'segments',
  file: 'segments.yaml',
  load: loadSegmentations,
  seeds: [
    'segmentations:\n  - name: kinds\n    projects: [a.example]\n    segments:\n      - name: blog\n        url: [/blog/, "*.pdf$"]\n      - name: deep\n        oql: { and: [{ field: [depth, gte, 4] }, { field: [url, contains, "/a", { ci: true }] }] }\n      - name: old\n        sql: status_code >= 400\n    else: other\n',
    'segmentations:\n  - name: n\n    segments:\n      - name: big\n        oql: { field: [simhash, equals, 9007199254740993] }\n',
  ],
  words: [
    'segmentations:',
    'segments:',
    'name:',
    'url:',
    'oql:',
    'sql:',
    'else:',
    'projects:',
    'field',
    'between',
  ],
});

export const schedulesYaml = yamlTarget({
  name: 'schedules',
  file: 'schedules.yaml',
  load: (folder) => loadSchedules(folder, ['crawl_pages', 'crawl_links']),
  seeds: [
    shipped('schedules.yaml'),
    'schedules:\n  - name: logs\n    cron: "15 2 * * *"\n    logs: { from: ["/var/log/a*"], site: "https://a.example/" }\n',
    'schedules:\n  - name: crawl\n    cron: "@daily"\n    crawl: { url: "https://a.example/" }\n',
  ],
  words: [
    'cron:',
    'time_zone:',
    'datasets:',
    'crawl:',
    'logs:',
    'alerts:',
    '*/5',
    '59',
    '60',
    '31 2',
    'L',
    '1-7',
    '@yearly',
  ],
});

export const pipelinesYaml = yamlTarget({
  name: 'pipelines',
  file: 'pipelines/a.yaml',
  load: loadPipelines,
  seeds: ['crawl_pages', 'ranking_performance'].map((one) => shipped(`pipelines/${one}.yaml`)),
  words: [
    'dataset:',
    'source:',
    'route:',
    'filter:',
    'fields:',
    'columns:',
    'optional',
    'on_reject:',
    'window:',
    'schema_change:',
  ],
});

export const settingsYaml = yamlTarget({
  name: 'settings',
  file: 'crawlhouse.yaml',
  load: (folder) => {
    // Secrets of one case would mask the texts of the next.
    forgetSecrets();
    return loadSettings(folder, {});
  },
  seeds: [
    'base_url: https://a.example\naccess_token: abc\nprojects: [a, b]\nsince: 2026-01-31\nmemory_limit: 400MB\nthreads: 2\n',
    'warehouse: w.duckdb\nlogs: { megabytes: 20, days: 3 }\nlimits: { record: 1MB, fields: 10 }\nkeep_raw: { days: 2 }\nissues: { title_long: off }\n',
    'alerts: { webhook: "https://a.example/h", on: [failure] }\nmirror: { store: store_a, tables: [mart.pages] }\n',
  ],
  words: [
    'base_url:',
    'limits:',
    'issues:',
    'alerts:',
    'warehouse:',
    'mirror:',
    'store_a',
    '$\u007bHOME}',
    '400MB',
    '-1',
    '1e999',
  ],
});

export const notesYaml = yamlTarget({
  name: 'notes',
  file: 'notes.yaml',
  load: loadNotes,
  seeds: [
    'notes:\n  - date: 2026-11-24\n    kind: deployment\n    text: new templates\n    project: a.example\n',
  ],
  words: ['notes:', 'date:', 'kind:', 'text:', 'project:', 'migration', 'other'],
});

export const ticketsYaml = yamlTarget({
  name: 'tickets',
  file: 'tickets.yaml',
  load: loadTickets,
  seeds: [
    'tickets:\n  - id: t1\n    project: a.example\n    issue: slow\n    crawl: c1\n    state: ignored\n    until: 2026-12-24\n    urls: [https://a.example/]\n    created_at: 2026-11-24T10:00:00Z\n    changed_at: 2026-11-24T10:00:00Z\n',
  ],
  words: ['tickets:', 'id:', 'state:', 'until:', 'due:', 'segment:', 'done', 'wont_fix', 'in_progress'],
});

const SITE = 'https://a.example/';

export const crawlsYaml = yamlTarget({
  name: 'crawls',
  file: crawlFileOf(SITE),
  async load(folder) {
    forgetSecrets();
    return checkCrawlText((await crawlFileText(folder, SITE)) ?? '', crawlFileOf(SITE)).keys;
  },
  seeds: [
    'max_url: 500\nmax_speed: 0.5\nuser_agent: shop\nsites: [b.example]\nvitals: all\n',
    'http_auth: { username: a, password: b, scheme: Basic }\nrobots_txt:\n  - host: a.example\n    content: |\n      User-agent: *\n',
  ],
  words: ['max_url:', 'custom_fields:', 'dns:', 'ips:', 'recheck:', 'vitals:', 'sites:', 'extra_headers:'],
});
