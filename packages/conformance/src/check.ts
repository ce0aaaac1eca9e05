import { HardcapError, type HardcapErrorCode } from '@hardcap/core';

/** A sink that does not do what the contract says. Runners show the difference of the two values. */
export class ContractViolation extends Error {
  readonly actual: unknown;
  readonly expected: unknown;

  constructor(message: string, actual?: unknown, expected?: unknown) {
    super(message);
    this.name = 'ContractViolation';
    this.actual = actual;
    this.expected = expected;
  }
}

/** @throws ContractViolation unless the values are deeply equal; fields that are undefined do not count. */
export function expectEqual(actual: unknown, expected: unknown, what = 'answer'): void {
  const place = difference(actual, expected, what, false);
  if (place !== undefined) throw violation(place, actual, expected);
}

/** The same for a part: objects may have more fields than expected, arrays no more elements. */
export function expectPart(actual: unknown, expected: unknown, what = 'answer'): void {
  const place = difference(actual, expected, what, true);
  if (place !== undefined) throw violation(place, actual, expected);
}

/** @throws ContractViolation with the message unless the condition holds. */
export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) throw new ContractViolation(message);
}

/** @throws ContractViolation unless the operation throws or rejects with a hardcap error of this code. */
export async function expectError(
  code: HardcapErrorCode,
  operation: () => unknown,
  what = 'the operation',
): Promise<void> {
  let answer: unknown;
  try {
    answer = await operation();
  } catch (error) {
    if (HardcapError.isInstance(error) && error.code === code) return;
    throw new ContractViolation(`${what} should fail with ${code}, and failed with ${error}`);
  }
  throw new ContractViolation(
    `${what} should fail with ${code}, and was answered with ${text(answer)}`,
  );
}

function violation(place: string, actual: unknown, expected: unknown): ContractViolation {
  return new ContractViolation(
    `${place}\nexpected ${text(expected)}\nreceived ${text(actual)}`,
    actual,
    expected,
  );
}

/** Where the values differ, and how; undefined where they do not. */
function difference(
  actual: unknown,
  expected: unknown,
  path: string,
  isPart: boolean,
): string | undefined {
  if (actual === expected || Object.is(actual, expected)) return undefined;
  if (typeof actual !== 'object' || typeof expected !== 'object' || !actual || !expected) {
    return `${path} is ${text(actual)} instead of ${text(expected)}`;
  }
  if (Array.isArray(actual) !== Array.isArray(expected)) return `${path} is of another kind`;
  if (Array.isArray(actual) && Array.isArray(expected) && actual.length !== expected.length) {
    return `${path} has ${actual.length} elements instead of ${expected.length}`;
  }
  const [one, other] = [actual, expected] as [Record<string, unknown>, Record<string, unknown>];
  const keys = isPart ? Object.keys(other) : new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const key of keys) {
    const place = Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`;
    const found = difference(one[key], other[key], place, isPart);
    if (found !== undefined) return found;
  }
  return undefined;
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
