import { join } from 'node:path';
import { CrawlhouseError } from '../../../../core/errors/errors.ts';
import { didYouMean } from '../../../../core/text/nearest-name.ts';
import type { IssueChange, IssueSettings, Severity } from '../../settings/issue-settings.ts';
import { readYaml } from '../../settings/yaml-file.ts';
import { replaceThresholds } from '../text/thresholds.ts';
import { type Issue, loadIssues } from './load-issues.ts';
import type { SqlFolder } from './sql-folders.ts';

/** The settings of an issue in the given projects. */
export interface IssueSetting {
  readonly isOn: boolean;
  readonly severity: Severity;
  /** Numbers by the names of the thresholds. */
  readonly thresholds: Readonly<Record<string, number>>;
}

export interface TunedIssues {
  readonly issues: readonly TunedIssue[];
  /** Projects with their own settings, by identifier or name. */
  readonly projects: readonly string[];
  /** Segments with their own settings. If a page is in several segments, the first one counts. */
  readonly segments: readonly TunedSegment[];
}

interface TunedSegment {
  readonly segment: string;
  /** By identifier or name; null for all. */
  readonly project: string | null;
}

export interface TunedIssue extends Issue {
  /**
   * The setting of all projects without their own, then those of `projects` in their order, then the same for the pages
   * of each of `segments`.
   */
  readonly settings: readonly [IssueSetting, ...IssueSetting[]];
}

/**
 * Reads the issues in the given folders, adjusted by the settings of the project.
 *
 * @throws CrawlhouseError `bad_model` for a file; `bad_settings` naming file, line and key of a setting
 */
export async function loadTunedIssues(folders: readonly SqlFolder[]): Promise<TunedIssues> {
  const issues = await loadIssues(folders);
  const { issues: settings = {}, dir = '' } = folders.at(-1)?.project ?? {};
  const fault = firstFault(issues, settings);
  if (fault === undefined) return tuneIssues(issues, settings);
  const { file, lineOf } = await readYaml(join(dir, 'crawlhouse.yaml'), 'crawlhouse.yaml', 'bad_settings');
  const place = `${file}:${lineOf(fault.path)}: ${fault.path.join('.')}`;
  throw new CrawlhouseError('bad_settings', `${place}: ${fault.message}`, { hint: fault.hint });
}

type Changes = Readonly<Record<string, IssueChange | undefined>>;

/** Returns the changes of issues by name, without the other keys. */
const ownChanges = ({ projects: _, segments: __, ...changes }: IssueSettings): Changes => changes;

/** Applies valid settings to the issues. */
function tuneIssues(issues: readonly Issue[], settings: IssueSettings): TunedIssues {
  const { projects = {}, segments = {} } = settings;
  const names = Object.keys(projects);
  const places = [
    ...Object.entries(projects).flatMap(([project, { segments: own = {} }]) =>
      Object.entries(own).map(([segment, changes]) => ({ segment, project, changes })),
    ),
    ...Object.entries(segments).map(([segment, changes]) => ({ segment, project: null, changes })),
  ];
  return {
    projects: names,
    segments: places,
    issues: issues.map((issue) => {
      const { name } = issue;
      const general = changed(defaultSetting(issue), ownChanges(settings)[name]);
      const own = Object.values(projects).map((project) => changed(general, ownChanges(project)[name]));
      const ofSegments = places.flatMap(({ project, changes }) =>
        [general, ...own].map((setting, at) =>
          project === null || project === names[at - 1] ? changed(setting, changes[name]) : setting,
        ),
      );
      return { ...issue, settings: [general, ...own, ...ofSegments] };
    }),
  };
}

/** Returns the default setting of an issue. */
export function defaultSetting({ severity, thresholds }: Issue): IssueSetting {
  const defaults = Object.entries(thresholds).map(([name, one]) => [name, one.default]);
  return { isOn: true, severity, thresholds: Object.fromEntries(defaults) };
}

/** Applies a change to a setting. Keys that the change omits keep their values. A change also enables the issue. */
function changed(setting: IssueSetting, change: IssueChange | undefined): IssueSetting {
  if (change === undefined) return setting;
  if (typeof change === 'boolean') return { ...setting, isOn: change };
  const { severity = setting.severity, ...thresholds } = change;
  return { isOn: true, severity, thresholds: { ...setting.thresholds, ...thresholds } };
}

interface Fault {
  readonly path: readonly string[];
  readonly message: string;
  readonly hint: string;
}

interface SettingPlace {
  readonly path: readonly string[];
  readonly changes: Changes;
  /** Keys besides thresholds. Projects set a severity, segments do not. */
  readonly keys: readonly string[];
}

function placesOf(settings: IssueSettings, path: readonly string[]): SettingPlace[] {
  return [
    { path, changes: ownChanges(settings), keys: ['severity'] },
    ...Object.entries(settings.segments ?? {}).map(([segment, changes]) => ({
      path: [...path, 'segments', segment],
      changes,
      keys: [],
    })),
    ...Object.entries(settings.projects ?? {}).flatMap(([project, own]) =>
      placesOf(own, [...path, 'projects', project]),
    ),
  ];
}

function firstFault(issues: readonly Issue[], settings: IssueSettings): Fault | undefined {
  const names = issues.map(({ name }) => name);
  for (const { path, changes, keys } of placesOf(settings, ['issues'])) {
    for (const [name, change = true] of Object.entries(changes)) {
      const issue = issues.find((issue) => issue.name === name);
      if (issue === undefined)
        return {
          path: [...path, name],
          message: `there is no issue ${name}`,
          hint: `${didYouMean(name, names)}docs/reference/issues.md lists the shipped issues`,
        };
      const known = [...keys, ...Object.keys(issue.thresholds)];
      const unknown = Object.keys(change).find((key) => !known.includes(key));
      if (unknown !== undefined)
        return {
          path: [...path, name, unknown],
          message: `${name} has no ${unknown === 'severity' ? 'severity in a segment' : `threshold ${unknown}`}`,
          hint: `${didYouMean(unknown, known)}allowed keys: ${known.join(', ') || 'none'}`,
        };
    }
  }
  return undefined;
}

const DECIMALS = 9;

/** Writes a number in SQL, without an exponent. */
export function numberText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(DECIMALS).replace(/\.?0+$/, '');
}

const numberWords = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: DECIMALS });

/** Returns the definition of an issue, with the numbers of a setting. */
export function definitionOf({ definition }: Issue, { thresholds }: IssueSetting): string {
  return definition.replaceAll(/\$([a-z][a-z0-9_]*)/g, (written, name: string) => {
    const value = thresholds[name];
    return value === undefined ? written : numberWords(value);
  });
}

/** Returns the differences in segments, for people: ` In /blog/: 100 words.` */
export function segmentWords(issue: TunedIssue, { projects, segments }: TunedIssues, number: number): string {
  const setting = issue.settings[number] ?? issue.settings[0];
  const words = segments.flatMap(({ segment, project }, at) => {
    const own = issue.settings[number + (at + 1) * (projects.length + 1)];
    if (own === undefined || (project !== null && project !== projects[number - 1])) return [];
    const numbers = Object.entries(own.thresholds)
      .filter(([name, value]) => value !== setting.thresholds[name])
      .map(([name, value]) => `${numberWords(value)} ${issue.thresholds[name]?.unit ?? name}`);
    if (own.isOn === setting.isOn && numbers.length === 0) return [];
    return [` In ${segment}: ${own.isOn ? numbers.join(', ') || 'looked for' : 'not looked for'}.`];
  });
  return words.join('');
}

export const withNumbers = (sql: string, { thresholds }: IssueSetting): string =>
  replaceThresholds(sql, (name) => numberText(thresholds[name] ?? 0));
