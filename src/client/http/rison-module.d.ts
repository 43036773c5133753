declare module 'rison' {
  const rison: { encode(value: unknown): string };
  export default rison;
}
