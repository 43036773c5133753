const NUMBER = /^(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.*\)|FLOAT|DOUBLE|BIGNUM)$/;
const TIME = /^(DATE|TIMESTAMP.*)$/;

export function isNumber(type: string): boolean {
  return NUMBER.test(type);
}

export function isTime(type: string): boolean {
  return TIME.test(type);
}
