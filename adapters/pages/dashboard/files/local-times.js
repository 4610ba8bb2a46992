// Shows times in the reader's own zone, whose name replaces "UTC" in the heading; the tooltip has the UTC time. Days
// stay in UTC, because credits are counted by UTC days, and so do times in sentences. Without this script everything is
// UTC.
const PARTS = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
};
const local = new Intl.DateTimeFormat('en-CA', { ...PARTS, timeZoneName: 'short' });

function partsOf(date) {
  return Object.fromEntries(local.formatToParts(date).map(({ type, value }) => [type, value]));
}

/** Returns whether there was a time to change. */
function localize(cell) {
  const times = cell?.querySelectorAll('time.minute') ?? [];
  for (const time of times) {
    const { year, month, day, hour, minute, timeZoneName } = partsOf(new Date(time.dateTime));
    const second = time.classList.contains('second') ? time.dateTime.slice(16, 19) : '';
    time.textContent = `${year}-${month}-${day} ${hour}:${minute}${second}`;
    time.title = `${time.dateTime.slice(0, 10)} ${time.dateTime.slice(11, 16)}${second} UTC, here ${timeZoneName}`;
  }
  return times.length > 0;
}

const zone = partsOf(new Date()).timeZoneName;
const inZone = (title) => title.replace('(UTC)', `(${zone})`);

function localizeAll() {
  for (const table of document.querySelectorAll('table.data')) {
    for (const header of table.querySelectorAll('thead th')) {
      if (!header.textContent.endsWith('(UTC)')) continue;
      const cells = [...table.tBodies].flatMap(({ rows }) => [...rows].map((row) => row.cells[header.cellIndex]));
      if (cells.filter(localize).length === 0) continue;
      header.textContent = inZone(header.textContent);
      for (const cell of cells) if (cell?.dataset.column) cell.dataset.column = inZone(cell.dataset.column);
    }
  }
  for (const term of document.querySelectorAll('dl.facts dt')) {
    if (term.textContent.endsWith('(UTC)') && localize(term.nextElementSibling))
      term.textContent = inZone(term.textContent);
  }
}

if (zone !== 'UTC') {
  localizeAll();
  // The overview is updated in place.
  new MutationObserver(localizeAll).observe(document.querySelector('main'), { childList: true, subtree: true });
}
