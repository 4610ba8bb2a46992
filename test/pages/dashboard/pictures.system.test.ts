/** Pictures are drawn beside the service, and none twice. */
import { afterAll, describe, expect, it } from 'vitest';
import { creditsChart } from '../../../adapters/pages/charts/chart-data.js';
import { createChartThread, type Draw } from '../../../adapters/pages/charts/chart-thread.js';
import { createPictures, MOST_WAITING } from '../../../adapters/pages/charts/pictures.js';

const RANGE = { from: '2026-11-01', to: '2026-11-03' };
const LOOK = { scheme: 'light', width: 'wide' } as const;
const dataOf = (amount: number) =>
  creditsChart(RANGE, [{ day: '2026-11-02', endpoint: 'user', amount, requests: 1, items: 1, cacheHits: 0 }]);

describe('pictures', () => {
  const thread = createChartThread();
  afterAll(() => thread.close());

  /** The real thread, counted. */
  const counted = () => {
    const drawn: string[] = [];
    const draw: Draw = (data, look) => {
      drawn.push(look.scheme);
      return thread.draw(data, look);
    };
    return { drawn, pictures: createPictures(draw) };
  };

  it('the same picture again draws nothing, neither at once nor later', async () => {
    const { drawn, pictures } = counted();
    const ask = () => pictures('ada', dataOf(1000), LOOK);
    const [one, two, three] = [await Promise.all([ask(), ask(), ask()]), await ask(), await ask()];
    expect(drawn).toHaveLength(1);
    expect(new Set([...one, two, three]).size).toBe(1);
    expect(two).toMatch(/^<svg width="1020" height="300" /);
  });

  it('other figures, another look, another account are other pictures', async () => {
    const { drawn, pictures } = counted();
    await pictures('ada', dataOf(1000), LOOK);
    await pictures('ada', dataOf(2000), LOOK);
    await pictures('ada', dataOf(1000), { ...LOOK, scheme: 'dark' });
    await pictures('eve', dataOf(1000), LOOK);
    expect(drawn).toEqual(['light', 'light', 'dark', 'light']);
  });

  it('an account waits for all looks of a page at most; others are not kept waiting by that', async () => {
    const { drawn, pictures } = counted();
    const all = Array.from({ length: MOST_WAITING }, (_, index) => pictures('ada', dataOf(index), LOOK));
    await expect(pictures('ada', dataOf(MOST_WAITING), LOOK)).rejects.toMatchObject({ code: 'rate_limited' });
    await Promise.all([...all, pictures('eve', dataOf(1), LOOK)]);
    await pictures('ada', dataOf(MOST_WAITING), LOOK);
    expect([MOST_WAITING, drawn.length]).toEqual([18, 20]);
  });

  it('one that was not drawn is not kept, and counts no more', async () => {
    let faults = 3;
    const pictures = createPictures(async () => {
      faults -= 1;
      if (faults >= 0) throw new Error('no ink');
      return '<svg/>';
    });
    for (let tries = 0; tries < 3; tries += 1) {
      await expect(pictures('ada', dataOf(1), LOOK)).rejects.toThrow('no ink');
    }
    expect(await pictures('ada', dataOf(1), LOOK)).toBe('<svg/>');
  });
});

describe('the thread that draws', () => {
  it('ends when it is idle, and begins anew', async () => {
    const thread = createChartThread(0);
    expect(await thread.draw(dataOf(1), LOOK)).toMatch(/^<svg /);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    expect(await thread.draw(dataOf(2), LOOK)).toMatch(/^<svg /);
    await thread.close();
  });

  it('reports that it was closed, and names what could not be drawn', async () => {
    const thread = createChartThread();
    const drawing = expect(thread.draw(dataOf(1), LOOK)).rejects.toThrow('the service is shutting down');
    await thread.close();
    await drawing;
    const look = { scheme: 'light', width: 'nonsense' } as unknown as typeof LOOK;
    await expect(thread.draw({ ...dataOf(1), series: null } as never, look)).rejects.toThrow(
      'A chart could not be drawn',
    );
    await thread.close();
  });
});
