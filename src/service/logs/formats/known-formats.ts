import { CrawlhouseError } from '../../../core/errors.ts';
import { didYouMean } from '../../../core/nearest-name.ts';
import type { LogFormat } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { fieldsFormat } from './fields-format.ts';
import { CADDY, CLOUDFLARE, jsonFormat, parseFieldMap } from './json-format.ts';
import { textFormat } from './text-format.ts';

const COMBINED = '%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i"';
/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html */
const ALB =
  '$type $time_iso8601 $elb $remote_addr $target_port $t1 $t2 $t3 $status $target_status $received $bytes_sent "$request" "$http_user_agent" $rest';

const MAKERS: Readonly<Record<string, (time: LogTime, state: string) => LogFormat>> = {
  alb: (time) => textFormat('alb', ALB, time),
  vhost_combined: (time) => textFormat('vhost_combined', `%v:%p ${COMBINED.replace('%b', '%O')}`, time),
  nginx_forwarded: (time) => textFormat('nginx_forwarded', `${COMBINED} "$http_x_forwarded_for"`, time),
  combined: (time) => textFormat('combined', COMBINED, time),
  combined_more: (time) => textFormat('combined_more', `${COMBINED} `, time, true),
  common: (time) => textFormat('common', '%h %l %u %t "%r" %>s %b', time),
  w3c: (time, state) => fieldsFormat(time, state),
  cloudflare: (time) => jsonFormat('cloudflare', CLOUDFLARE, time),
  caddy: (time) => jsonFormat('caddy', CADDY, time),
};

/** Formats that have a name, in the order in which they are tried: a line of one that comes first may look like one of a later. */
export const FORMAT_NAMES: readonly string[] = Object.keys(MAKERS);

/**
 * The format of a name, of `json:FIELD=KEY,…`, or of a LogFormat of Apache or log_format of nginx.
 *
 * @param state of the format at the place where reading goes on
 * @throws CrawlhouseError `usage`
 */
export function formatOfName(name: string, time: LogTime, state = ''): LogFormat {
  const known = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  if (known !== undefined) return known(time, state);
  if (name.startsWith('json:')) return jsonFormat('json', parseFieldMap(name.slice('json:'.length)), time);
  if (/[%$]/.test(name)) return textFormat(name, name, time);
  throw new CrawlhouseError('usage', `--format: there is no log format ${name}`, {
    hint: `${didYouMean(name, FORMAT_NAMES)}formats: auto, ${FORMAT_NAMES.join(', ')}, json:time=KEY,url=KEY,status=KEY, or the LogFormat or log_format that wrote the file`,
  });
}
