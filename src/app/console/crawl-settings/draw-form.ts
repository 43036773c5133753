import { type Html, html } from '../../../core/text/html.ts';
import { table } from '../../answers/presentation/html-table.ts';
import { projectPath } from '../layout/addresses.ts';
import { option } from '../layout/filter-form.ts';
import { csrfField } from '../layout/shell.ts';
import type { FieldText } from './field-text.ts';
import type { SettingField } from './setting-fields.ts';
import { defaultOf, type FormFault, SETTING_FIELDS, type ShownSettings, textIn } from './site-form.ts';

/** The keys that most websites need, in the order of the form. The others follow in a part that opens. */
const COMMON: readonly string[] = [
  'max_url',
  'max_depth',
  'max_speed',
  'user_agent',
  'agent_kind',
  'crawl_subdomains',
  'js_rendering',
  'allow_query_params',
  'robots_txt',
  'custom_fields',
];

export interface DrawnForm {
  readonly project: string;
  readonly file: string;
  readonly settings: ShownSettings;
  readonly stamp: string;
  readonly csrf: string;
  /** The submitted values, if the page answers a form. */
  readonly sent?: URLSearchParams;
  readonly faults?: readonly FormFault[];
}

/** Returns the form of a website's settings, with the problems at their inputs. */
export function drawForm(form: DrawnForm): Html {
  const { project, file, stamp, csrf, sent, faults = [] } = form;
  const common = COMMON.flatMap((name) => SETTING_FIELDS.filter((field) => field.name === name));
  const others = SETTING_FIELDS.filter(({ name }) => !COMMON.includes(name));
  const isOpen = others.some((field) => faults.some((fault) => isAt(fault, field)));
  const homeless = faults.filter((fault) => !SETTING_FIELDS.some((field) => isAt(fault, field)));
  const path = `${projectPath(project)}/settings`;
  return html`<form class="settings" method="post" action="${path}">${csrfField(csrf)}<input type="hidden" name="stamp" value="${stamp}">
${homeless.map(({ name, message }) => html`<p class="notice">${name}: ${message}</p>`)}
<div class="parameters">${common.map((field) => drawField(field, form))}</div>
<details${isOpen ? html` open` : null}><summary>All settings</summary><div class="parameters">${others.map((field) => drawField(field, form))}</div></details>
<p><button type="submit" class="main">Save</button> <small>The settings go to ${file}.</small></p>
<h2>Test one URL</h2>
<p><label for="test-url">URL</label> <input id="test-url" name="test" size="50" value="${sent?.get('test')}" aria-describedby="test-about">
<button type="submit" formaction="${path}/test">Test before saving</button></p>
<p class="facts" id="test-about">Fetches the URL once with the values above, as the next crawl would. A test stores nothing.</p>
</form>
`;
}

function isAt({ name }: FormFault, field: SettingField): boolean {
  return name === field.name || name.startsWith(`${field.name}.`);
}

function drawField(field: SettingField, { settings, sent, faults = [] }: DrawnForm): Html {
  const { name, label, about, isSecret } = field;
  const isKept = isSecret && Object.hasOwn(settings, name);
  const own = faults.filter((fault) => isAt(fault, field));
  const id = `set-${name}`;
  const known = textIn(settings, field);
  const shown = sent?.get(name) ?? known.text;
  const isYaml = sent === undefined ? known.isYaml : sent.getAll('yaml').includes(name);
  const notes = html`<small id="${id}-about">${about} Default: ${defaultOf(field)}.${isKept ? ' A value is set; leave this empty to keep it.' : null}</small>`;
  return html`<div>
<label for="${id}">${label}</label>
${drawInput(field, { id, text: shown, isYaml: isYaml && field.control !== 'yaml', isWrong: own.length > 0 })}
${own.map((fault, index) => html`<strong class="bad" id="${id}-fault-${index}">${fault.name === name ? '' : `${fault.name.slice(name.length + 1)}: `}${fault.message}</strong>\n`)}${notes}
${isKept ? html`<span><input type="checkbox" id="${id}-remove" name="remove" value="${name}"> <label for="${id}-remove">Remove ${label}</label></span>` : null}
</div>
`;
}

interface Input extends FieldText {
  readonly id: string;
  readonly isWrong: boolean;
}

function drawInput({ name, control, options, isSecret, example }: SettingField, input: Input): Html {
  const { id, text, isYaml, isWrong } = input;
  const common = html`id="${id}" name="${name}" aria-describedby="${id}-about${isWrong ? ` ${id}-fault-0` : ''}"${isWrong ? html` aria-invalid="true"` : null}`;
  const hint = example === null ? null : html` placeholder="${example}"`;
  const yaml = isYaml ? html`<input type="hidden" name="yaml" value="${name}">` : null;
  if (isYaml || control === 'yaml' || control === 'lines' || control === 'pairs') {
    const rows = Math.min(12, Math.max(2, text.split('\n').length));
    return html`${yaml}<textarea ${common} rows="${rows}" spellcheck="false"${hint}>
${text}</textarea>`;
  }
  if (control === 'flag' || control === 'choice') {
    const values = control === 'flag' ? ['true', 'false'] : options;
    const wordOf = (value: string): string =>
      control === 'choice' ? value : value === 'true' ? 'yes' : 'no';
    return html`<select ${common}>${option('', text, 'default')}${values.map((value) => option(value, text, wordOf(value)))}</select>`;
  }
  const type = isSecret ? 'password' : 'text';
  const mode = control === 'number' ? html` inputmode="decimal"` : null;
  return html`<input type="${type}" ${common} value="${text}" autocomplete="off" spellcheck="false"${mode}${hint}>`;
}

/** Returns the settings for people who cannot change them. */
export function drawValues(settings: ShownSettings): Html {
  const set = SETTING_FIELDS.filter(({ name }) => Object.hasOwn(settings, name));
  return table(
    'Settings',
    [
      { name: 'setting', cell: ({ label }: SettingField) => label },
      {
        name: 'value',
        cell: (field: SettingField) =>
          field.isSecret ? 'set' : html`<code>${textIn(settings, field).text}</code>`,
      },
      { name: 'default', cell: defaultOf },
      { name: 'meaning', cell: ({ about }: SettingField) => about },
    ],
    set,
    'Every setting has its default.',
  );
}
