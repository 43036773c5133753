import type { LogField } from '../log-line.ts';

/**
 * The use of a variable's text. `path` and `path_query` are a target that the server has decoded; `clf`, `iso`, `epoch`
 * and `any` are times; null: unused.
 */
export type TextField = LogField | 'path' | 'path_query' | 'tls' | 'is_args' | TimeField | null;
export type TimeField = 'clf' | 'iso' | 'epoch' | 'any';

/**
 * The useful variables, as Apache (https://httpd.apache.org/docs/2.4/mod/mod_log_config.html) and nginx
 * (https://nginx.org/en/docs/varindex.html) write them, in lowercase except for directives. Others are ignored. If a
 * format contains several variables of one field, the first one in this list that has a value counts. Values of the
 * client's request and its response come before the server's own.
 */
const VARIABLES: readonly (readonly [names: readonly string[], field: TextField])[] = [
  [['%a', '%h', '%{c}a', '$remote_addr', '$realip_remote_addr'], 'address'],
  [
    [
      '%{x-forwarded-for}i',
      '$http_x_forwarded_for',
      '$proxy_add_x_forwarded_for',
      '%{x-real-ip}i',
      '$http_x_real_ip',
      '%{cf-connecting-ip}i',
      '$http_cf_connecting_ip',
      '%{true-client-ip}i',
      '$http_true_client_ip',
      '%{forwarded}i',
      '$http_forwarded',
    ],
    'forwarded',
  ],
  [['$msec'], 'epoch'],
  [['$time_iso8601'], 'iso'],
  [['%t', '$time_local'], 'clf'],
  [['%r', '$request'], 'request'],
  [['%m', '$request_method'], 'method'],
  [['$request_uri'], 'target'],
  [['%U', '$document_uri', '$uri'], 'path'],
  [['%q', '$args', '$query_string'], 'query'],
  [['$is_args'], 'is_args'],
  [['%>s', '%s', '%<s', '$status'], 'status'],
  [['%b', '%B', '$body_bytes_sent', '%O', '$bytes_sent'], 'bytes'],
  [['%{host}i', '$http_host', '$host', '%V', '%v', '$server_name'], 'host'],
  [['%p', '%{canonical}p', '%{local}p', '$server_port'], 'port'],
  [['%{x-forwarded-proto}i', '$http_x_forwarded_proto', '%{request_scheme}e', '$scheme'], 'scheme'],
  [['%{https}e', '$https', '%{ssl_protocol}x', '$ssl_protocol'], 'tls'],
  [['%{referer}i', '$http_referer'], 'referer'],
  [['%{user-agent}i', '$http_user_agent'], 'agent'],
];

const BY_NAME: ReadonlyMap<string, readonly [field: TextField, rank: number]> = new Map(
  VARIABLES.flatMap(([names, field]) => names.map((name, index) => [name, [field, -index]] as const)),
);

/** Returns the field of a variable, and its rank among those of the same field: the highest one with a value counts. */
export function variableOf(name: string): readonly [field: TextField, rank: number] {
  return BY_NAME.get(name) ?? [null, 0];
}
