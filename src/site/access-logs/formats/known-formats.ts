import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import type { LogFormat } from '../log-line.ts';
import type { LogTime } from '../log-time.ts';
import { fieldsFormat } from './fields-format.ts';
import { jsonFormat, parseFieldMap } from './json-format.ts';
import { JSON_LOGS } from './json-logs.ts';
import { looseFormat } from './loose-format.ts';
import { NAMED_LOGS } from './named-records.ts';
import { prefixedFormat, prefixOfName } from './prefixes.ts';
import { textFormat } from './text-format.ts';

const COMMON = '%h %l %u %t "%r" %>s %b';
const COMBINED = `${COMMON} "%{Referer}i" "%{User-Agent}i"`;
const FORWARDED = `${COMBINED} "$http_x_forwarded_for"`;
/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-access-logs.html */
const ALB =
  '$type $time_iso8601 $elb $remote_addr $target_port $t1 $t2 $t3 $status $target_status $received $bytes_sent "$request" "$http_user_agent" $rest';
/** https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/access-log-collection.html */
const ELB =
  '$time_iso8601 $elb $remote_addr $target_port $t1 $t2 $t3 $status $target_status $received $bytes_sent "$request" "$http_user_agent" $rest';
/** https://www.envoyproxy.io/docs/envoy/latest/configuration/observability/access_log/usage */
const ENVOY =
  '[$time_iso8601] "$request" $status $flags $received $bytes_sent $duration $upstream "$remote_addr" "$http_user_agent" "$id" "$host" $rest';
/** https://istio.io/latest/docs/tasks/observability/logs/access-log/ */
const ISTIO = ENVOY.replace('$received', '$details $ended "$failure" $received');
/** `option httplog`: https://docs.haproxy.org/3.0/configuration.html#8.2.3 */
const HAPROXY =
  '$remote_addr [$time_local] $frontend $backend $timers $status $bytes_sent $request_cookie $response_cookie $ends $more"$request"';
/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/LogFormat.html */
const S3 =
  '$owner $bucket [$time_local] $remote_addr $requester $id $operation $key "$request" $status $error $bytes_sent $size $total $turnaround "$http_referer" "$http_user_agent" $version $host_id $signature $cipher $auth $http_host $rest';
/** https://github.com/NginxProxyManager/nginx-proxy-manager: `proxy` and `standard` of its log formats. */
const NPM_STANDARD =
  '[$time_local] $status - $request_method $scheme $host "$request_uri" [Client $remote_addr] [Length $body_bytes_sent] [Gzip $gzip_ratio] "$http_user_agent" "$http_referer"';
const NPM = NPM_STANDARD.replace('$status', '$cache $upstream_status $status').replace(
  '[Gzip $gzip_ratio]',
  '[Gzip $gzip_ratio] [Sent-to $server]',
);

export const LOOSE = 'common_more';

interface Asked {
  readonly time: LogTime;
  readonly state: string;
  /** Whether a line of text has no more fields than its format. */
  readonly isWhole: boolean;
}

const MAKERS: Readonly<Record<string, (asked: Asked) => LogFormat>> = {
  alb: ({ time }) => requestsOnly(textFormat('alb', ALB, time)),
  elb: ({ time }) => requestsOnly(textFormat('elb', ELB, time)),
  istio: ({ time }) => textFormat('istio', ISTIO, time),
  envoy: ({ time }) => textFormat('envoy', ENVOY, time),
  haproxy: ({ time }) => textFormat('haproxy', HAPROXY, time),
  haproxy_host: ({ time }) => textFormat('haproxy_host', HAPROXY.replace('$timers', '$host $timers'), time),
  s3: ({ time }) => textFormat('s3', S3, time),
  s3_more: ({ time }) => textFormat('s3_more', S3.slice(0, S3.indexOf(' $version')), time),
  npm: ({ time }) => textFormat('npm', NPM, time),
  npm_standard: ({ time }) => textFormat('npm_standard', NPM_STANDARD, time),
  vhost_combined: ({ time, isWhole }) =>
    textFormat('vhost_combined', `%v:%p ${COMBINED.replace('%b', '%O')}`, time, isWhole),
  vhost_more: ({ time }) => textFormat('vhost_more', `%v:%p ${COMBINED.replace('%b', '%O')}`, time),
  host_combined: ({ time }) => textFormat('host_combined', `%v ${COMBINED}`, time),
  host_common: ({ time }) => textFormat('host_common', `%v ${COMMON}`, time, true),
  lighttpd: ({ time }) => textFormat('lighttpd', COMBINED.replace('%l', '%V'), time),
  nginx_forwarded: ({ time }) => textFormat('nginx_forwarded', FORWARDED, time),
  combined: ({ time, isWhole }) => ({
    ...textFormat('combined', COMBINED, time, isWhole),
    plain: { hasAgent: true, time },
  }),
  combined_more: ({ time }) => textFormat('combined_more', COMBINED, time),
  common: ({ time, isWhole }) => ({
    ...textFormat('common', COMMON, time, isWhole),
    plain: { hasAgent: false, time },
  }),
  [LOOSE]: ({ time }) => looseFormat(LOOSE, time),
  w3c: ({ time, state }) => fieldsFormat(time, state),
  ...Object.fromEntries(
    Object.entries({ ...JSON_LOGS, ...NAMED_LOGS }).map(([name, log]) => [
      name,
      (asked: Asked) => jsonFormat(name, log, asked),
    ]),
  ),
};

/** Returns a format that skips lines without a request, because a TCP listener logs only connections. */
function requestsOnly(format: LogFormat): LogFormat {
  return {
    ...format,
    read(text, from, end, line) {
      const found = format.read(text, from, end, line);
      return found === 'event' && /^[- ]+$/.test(line.request) ? 'skip' : found;
    },
  };
}

/**
 * Formats that have a name, in the order in which they are tried: a line of an earlier format may look like one of a
 * later format.
 */
export const FORMAT_NAMES: readonly string[] = Object.keys(MAKERS);

/**
 * Returns the format with a name, of `json:FIELD=KEY,…`, or of a LogFormat of Apache or log_format of nginx; each may
 * follow a prefix, such as `syslog:combined`.
 *
 * @param state of the format at the place where reading continues
 * @param isWhole whether lines with more fields than the format are rejected
 * @throws CrawlhouseError `usage`
 */
export function formatOfName(name: string, time: LogTime, state = '', isWhole = false): LogFormat {
  const prefix = prefixOfName(name);
  if (prefix !== undefined)
    return prefixedFormat(prefix, formatOfName(name.slice(prefix.length + 1), time, state, isWhole), time);
  const known = Object.hasOwn(MAKERS, name) ? lookUp(MAKERS, name) : undefined;
  if (known !== undefined) return known({ time, state, isWhole });
  if (name.startsWith('json:'))
    return jsonFormat('json', parseFieldMap(name.slice('json:'.length)), { time, state });
  if (/[%$]/.test(name)) return textFormat(name, name, time);
  throw new CrawlhouseError('usage', `--format: there is no log format ${name}`, {
    hint: `${didYouMean(name, FORMAT_NAMES)}formats: auto, ${FORMAT_NAMES.join(', ')}, json:time=KEY,url=KEY,status=KEY, or the LogFormat or log_format that wrote the file`,
  });
}
