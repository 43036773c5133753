/** Text of a page as a person reads it. */
export function unescaped(text: string): string {
  const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&(#39|\w+);/g, (entity, name: string) => signs[name] ?? entity);
}
