import { describe, expect, it } from 'vitest';
import { LiveBudget } from '../../../src/live/budget.js';

const NOON = Date.UTC(2026, 10, 26, 12);
const NEXT_DAY = Date.UTC(2026, 10, 27);

describe('the budget of a stream', () => {
  it('has no limit of its own unless it is given one', () => {
    const budget = new LiveBudget();
    budget.spend(5000, NOON);
    expect(budget.left(NOON)).toBeNull();
  });

  it('falls by what is spent, and is the lower of its total and its UTC day', () => {
    const budget = new LiveBudget({ inAll: 5000, perDay: 3000 });
    expect(budget.left(NOON)).toBe(3000);
    budget.spend(2500, NOON);
    expect(budget.left(NOON)).toBe(500);
    expect(budget.left(NEXT_DAY)).toBe(2500);
    budget.spend(500, NEXT_DAY);
    expect(budget.left(NEXT_DAY)).toBe(2000);
  });

  it('counts what was spent earlier on the same day, and nothing of other days', () => {
    const before = { inAll: 4000, day: '2026-11-26', onDay: 4000 };
    expect(new LiveBudget({ perDay: 3000, spent: before }).left(NOON)).toBe(0);
    expect(new LiveBudget({ perDay: 5000, spent: before }).left(NOON)).toBe(1000);
    expect(new LiveBudget({ perDay: 5000, spent: before }).left(NEXT_DAY)).toBe(5000);
  });
});
