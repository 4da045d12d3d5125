import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { byteSize, grouped, money } from '@/rules/format'
import { ChoiceLabel, type Choices } from '../choices'
import type { Picture } from '../image/picture'
import { Thumbs } from '../image/thumb'
import { kitMessages } from '../messages'
import { ReferenceText } from '../reference/reference-text'
import type { Reference, ReferenceId } from '../reference/source'
import { TimeText } from '../time-text'
import { DetailLink } from './detail-link'
import type { Row } from './use-list'

/** One column of a list. Its label is `messages.fields[key]`; it sorts when the list's filter says so. */
export interface Column<T> {
  key: string
  render: (row: T) => ReactNode
  width: number
  align?: 'start' | 'end'
  pin?: 'start' | 'end'
  /** Not shown until somebody chooses it. */
  spare?: boolean
  /** Where columns drop to fit the window, the lowest goes first; 0 unless told. */
  importance?: number
  /** Cannot be chosen away: the column that names the row. */
  lasting?: boolean
}

type Extra = Partial<Pick<Column<never>, 'width' | 'pin' | 'spare' | 'importance' | 'lasting'>>
type KeyOf<T> = keyof T & string
type Named<T> = T & Row

function YesNo({ value }: { value: boolean }) {
  const m = useMessages(kitMessages)
  return value ? m.yes : m.no
}

const none = <span className="sky-soft">—</span>
const textOf = (value: unknown) => (value === null || value === undefined || value === '' ? none : String(value))

/** The dash for nothing is the same one everywhere. */
const codeOf = (value: unknown) => {
  const text = textOf(value)
  return text === none ? none : <span className="sky-mono">{text}</span>
}

/** Makes the columns of a row type. Keys are checked against its fields. */
export function columnsOf<T>() {
  const column = (key: KeyOf<T>, width: number, render: Column<T>['render'], extra: Partial<Column<T>>): Column<T> => ({
    key,
    width,
    render,
    ...extra,
  })
  const numeric = (key: KeyOf<T>, format: (value: number) => string, extra: Extra) =>
    column(key, 100, (row) => (typeof row[key] === 'number' ? format(row[key]) : none), { align: 'end', ...extra })

  return {
    /** Text, in one line. */
    text: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, 130, (row) => <span title={String(row[key] ?? '')}>{textOf(row[key])}</span>, extra),
    /** Text whose letters must not be confused: codes, addresses, serial numbers. */
    code: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, 130, (row) => <span title={String(row[key] ?? '')}>{codeOf(row[key])}</span>, extra),
    /** Opens the detail of the row beside the list; a name, or a code such as an address. */
    detail: (key: KeyOf<Named<T>>, { isCode, ...extra }: Extra & { isCode?: boolean } = {}) =>
      ({
        key,
        width: 150,
        pin: 'start',
        lasting: true,
        render: (row: Named<T>) => (
          <DetailLink id={row.id} title={String(row[key as keyof Named<T>] ?? '')}>
            {(isCode ? codeOf : textOf)(row[key as keyof Named<T>])}
          </DetailLink>
        ),
        ...extra,
      }) as Column<T>,
    /** Leads to another screen. */
    link: (key: KeyOf<T>, to: (row: T) => string, extra: Extra = {}) =>
      column(
        key,
        150,
        (row) => (
          <Link className="sky-link" to={to(row)} title={String(row[key] ?? '')}>
            {textOf(row[key])}
          </Link>
        ),
        extra,
      ),
    /** Another thing, `{ id, name }` or null; leads to it where there is a way. What is gone says so. */
    reference: (key: KeyOf<T>, to?: (id: ReferenceId) => string, extra: Extra = {}) =>
      column(
        key,
        150,
        (row) => {
          const of = row[key] as Reference | null | undefined
          return <ReferenceText of={of} to={of ? to?.(of.id) : undefined} />
        },
        extra,
      ),
    /** A picture or several: the first one, small; it opens large. */
    image: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, 90, (row) => <Thumbs of={row[key] as Picture | readonly Picture[] | null} />, extra),
    number: (key: KeyOf<T>, extra: Extra = {}) => numeric(key, grouped, extra),
    /** An amount of fen, shown in yuan. */
    money: (key: KeyOf<T>, extra: Extra = {}) => numeric(key, money, extra),
    bytes: (key: KeyOf<T>, extra: Extra = {}) => numeric(key, byteSize, extra),
    /** A value of a closed list. */
    choice: (key: KeyOf<T>, choices: Choices, extra: Extra = {}) =>
      column(key, 120, (row) => <ChoiceLabel choices={choices} value={row[key]} />, extra),
    /** A moment: `YYYY-MM-DD HH:mm:ss`. */
    time: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, 160, (row) => <TimeText at={row[key] as string | null} />, extra),
    /** Yes or no. */
    flag: (key: KeyOf<T>, extra: Extra = {}) => column(key, 90, (row) => <YesNo value={row[key] === true} />, extra),
    /** Anything else. */
    custom: (key: string, render: (row: T) => ReactNode, extra: Partial<Column<T>> = {}): Column<T> => ({
      key,
      width: 130,
      render,
      ...extra,
    }),
  }
}
