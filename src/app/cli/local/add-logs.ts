import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import type { LogRules } from '../../../core/logs/log-rules.ts';
import { rewriteMark } from '../../../etl/engines/working-copy.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import type { LogsToAdd } from '../../../service/logs/added-logs.ts';
import { DnsCheck } from '../../../site/access-logs/bots/dns-check.ts';
import type { BotReport, LogFileReport } from '../../../site/access-logs/log-report.ts';
import type { LocalService } from './local-service.ts';
import { checkLogSources, logSources } from './log-sources.ts';
import { readBotList } from './read-bot-list.ts';

export interface LogsOfProject {
  readonly projectId: string;
  /** Paths, folders, globs, prefixes of stores, and `-`. */
  readonly from: readonly string[];
  /** The base folder of relative paths. */
  readonly folder: string;
  readonly rules: LogRules;
  /** Whether known files are read again. */
  readonly again: boolean;
  readonly progress: (text: string) => void;
  /** Confirms each file once it is understood; absent: adds all files. */
  readonly confirm?: LogsToAdd['confirm'];
  readonly isDryRun?: boolean;
}

/**
 * Returns the access log rules from the settings, with changes from flags.
 *
 * @param onReject what to do with unreadable lines; undefined: the rules limit their percentage
 */
export function readingRules(rules: LogRules, onReject: 'fail' | 'quarantine' | undefined): LogRules {
  if (onReject === undefined) return rules;
  return { ...rules, unreadable_percent: onReject === 'fail' ? 0 : 100 };
}

/**
 * Adds access logs to a project of the local service.
 *
 * @throws CrawlhouseError `usage` for a missing path, before anything is added
 */
export async function addLogs(
  settings: Settings,
  service: LocalService,
  { projectId, from, folder, rules, again, progress, confirm, isDryRun }: LogsOfProject,
  signal: AbortSignal,
): Promise<{ readonly files: readonly LogFileReport[]; readonly bots: readonly BotReport[] }> {
  await checkLogSources(from, folder);
  const files: LogFileReport[] = [];
  const mark = rewriteMark(settings.state_dir);
  const wasMarked = existsSync(mark);
  const logs = {
    projectId,
    rules,
    again,
    confirm,
    isDryRun,
    sources: logSources(from, { settings, folder }, signal),
    bots: { list: await readBotList(settings), dns: rules.verify === 'dns' ? new DnsCheck() : undefined },
    onForget: (isToForget: boolean) => {
      if (isToForget) closeSync(openSync(mark, 'a'));
      else if (!wasMarked) rmSync(mark, { force: true });
    },
    onFile: (report: LogFileReport) => {
      files.push(report);
      progress(`${files.length} log files read, the last: ${report.name}`);
    },
  };
  return { bots: await service.handle.addLogs(logs, signal), files };
}
