// A calendar of days, darker where more was used: a table with a row for each day of the week.
import type { UsageAnswer } from '../../wire/index.ts';
import { addressWith } from '../page/index.ts';
import { levelOf, monthOf, type Week, weeksOf } from './heatmap-days.ts';
import { amountOf, amountText, type Measure } from './usage-address.ts';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;

export interface DayHeatmapProps {
  readonly rows: UsageAnswer['rows'];
  readonly measure: Measure;
}

export function DayHeatmap({ rows, measure }: DayHeatmapProps) {
  const days = new Map(rows.flatMap((row) => (row.key === null ? [] : [[row.key, row] as const])));
  const weeks = weeksOf([...days.keys()]);
  if (weeks.length === 0) return null;
  const most = Math.max(...[...days.values()].map((row) => amountOf(row, measure)));
  return (
    <section className="heatmap" aria-label="Days">
      <h2>Days</h2>
      <div className="table-scroll">
        <table>
          <caption className="unseen">{measure === 'cost' ? 'Cost' : 'Tokens'} of each day, by week</caption>
          <thead>
            <tr>
              <td />
              {weeks.map((week, i) => (
                <th key={nameOf(week)} scope="col">
                  <span aria-hidden="true">{monthOf(week, weeks[i - 1])}</span>
                  <span className="unseen">Week of {nameOf(week)}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {weekdays.map((weekday, i) => (
              <tr key={weekday}>
                <th scope="row">
                  <span aria-hidden="true">{i % 2 === 0 ? weekday.slice(0, 3) : ''}</span>
                  <span className="unseen">{weekday}</span>
                </th>
                {weeks.map((week) => {
                  const day = week[i] ?? null;
                  const row = day === null ? undefined : days.get(day);
                  const text = `${day}: ${row === undefined ? 'nothing' : amountText(row, measure)}`;
                  const level = row === undefined ? 0 : levelOf(amountOf(row, measure), most);
                  return day === null ? (
                    <td key={nameOf(week)} />
                  ) : (
                    <td key={nameOf(week)}>
                      {/* The table of the chart has the same links for keys: a year of them would be in the way. */}
                      <a
                        className={`day level-${level}`}
                        href={addressWith({ since: day, until: day })}
                        title={text}
                        tabIndex={-1}
                      >
                        <span className="unseen">{text}</span>
                      </a>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function nameOf(week: Week): string {
  return week.find((day) => day !== null) ?? '';
}
