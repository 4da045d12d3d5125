import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useMessages } from '@/i18n/messages'
import { byteSize, grouped, money } from '@/rules/format'
import { freeText } from '@/ui/data-table'
import { ChoiceLabel, type Choices } from '../choices'
import type { Picture } from '../image/picture'
import { Thumbs } from '../image/thumb'
import { kitMessages } from '../messages'
import { ReferenceText } from '../reference/reference-text'
import type { Reference, ReferenceId } from '../reference/source'
import { TimeText } from '../time-text'
import { DetailLink } from './detail-link'
import type { Row } from './use-list'

/**
 * One column of a list. Its label is `messages.fields[key]`; it sorts when the list's filter says so. It is as wide as
 * its contents and its heading, which the table measures.
 */
export interface Column<T> {
  key: string
  render: (row: T) => ReactNode
  /** Pixels until the first rows are there. */
  guess?: number
  /** Free text: at so many pixels it may end in dots. Its cells have to tell the pointer the whole (`title`). */
  most?: number
  align?: 'start' | 'end'
  pin?: 'start' | 'end'
  /** Not shown until somebody chooses it. */
  spare?: boolean
  /** Where not all the usual columns fit the window, the lowest is left out first; 0 unless told. */
  importance?: number
  /** Somebody switched it on: it is shown whatever room there is. */
  chosen?: boolean
  /** Leads to the detail of its row by itself. */
  opens?: boolean
  /** Cannot be chosen away: the column that names the row. */
  lasting?: boolean
}

type Extra = Partial<Pick<Column<never>, 'pin' | 'spare' | 'importance' | 'lasting'>>
/** Its letters must not be confused, as those of an address or a number of ours: they are monospaced. */
type Coded = Extra & { isCode?: boolean }
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
  const column = (key: string, render: Column<T>['render'], extra: Partial<Column<T>>): Column<T> => ({
    key,
    render,
    ...extra,
  })
  const numeric = (key: KeyOf<T>, format: (value: number) => string, extra: Extra) =>
    column(key, (row) => (typeof row[key] === 'number' ? format(row[key]) : none), {
      align: 'end',
      guess: 100,
      ...extra,
    })
  const words = (key: string, textFor: (row: T) => unknown, { isCode, ...extra }: Coded) =>
    column(key, (row) => <span title={String(textFor(row) ?? '')}>{(isCode ? codeOf : textOf)(textFor(row))}</span>, {
      ...freeText,
      ...extra,
    })

  return {
    /** Text, in one line. */
    text: (key: KeyOf<T>, extra: Extra = {}) => words(key, (row) => row[key], extra),
    /** Text that the row does not have as it is shown. */
    words: (key: string, textFor: (row: T) => string, extra: Coded = {}) => words(key, textFor, extra),
    /** Text whose letters must not be confused: codes, addresses, serial numbers. */
    code: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, (row) => <span title={String(row[key] ?? '')}>{codeOf(row[key])}</span>, extra),
    /** Opens the detail of the row beside the list; a name, or a code such as an address. */
    detail: (key: KeyOf<Named<T>>, { isCode, ...extra }: Coded = {}) =>
      ({
        key,
        guess: 150,
        most: 300,
        pin: 'start',
        lasting: true,
        opens: true,
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
        (row) => (
          <Link className="sky-link" to={to(row)} title={String(row[key] ?? '')}>
            {textOf(row[key])}
          </Link>
        ),
        { ...freeText, ...extra },
      ),
    /** Another thing, `{ id, name }` or null; leads to it where there is a way. What is gone says so. */
    reference: (key: KeyOf<T>, to?: (id: ReferenceId) => string, { isCode, ...extra }: Coded = {}) =>
      column(
        key,
        (row) => {
          const of = row[key] as Reference | null | undefined
          return <ReferenceText of={of} to={of ? to?.(of.id) : undefined} isCode={isCode === true} />
        },
        { ...freeText, ...extra },
      ),
    /** A picture or several: the first one, small; it opens large. */
    image: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, (row) => <Thumbs of={row[key] as Picture | readonly Picture[] | null} />, { guess: 90, ...extra }),
    number: (key: KeyOf<T>, extra: Extra = {}) => numeric(key, grouped, extra),
    /** An amount of fen, shown in yuan. */
    money: (key: KeyOf<T>, extra: Extra = {}) => numeric(key, money, extra),
    bytes: (key: KeyOf<T>, extra: Extra = {}) => numeric(key, byteSize, extra),
    /** A value of a closed list. */
    choice: (key: KeyOf<T>, choices: Choices, extra: Extra = {}) =>
      column(key, (row) => <ChoiceLabel choices={choices} value={row[key]} />, { guess: 120, ...extra }),
    /** A moment: `YYYY-MM-DD HH:mm:ss`. */
    time: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, (row) => <TimeText at={row[key] as string | null} />, { guess: 160, ...extra }),
    /** Yes or no. */
    flag: (key: KeyOf<T>, extra: Extra = {}) =>
      column(key, (row) => <YesNo value={row[key] === true} />, { guess: 90, ...extra }),
    /** Anything else. */
    custom: (key: string, render: (row: T) => ReactNode, extra: Partial<Column<T>> = {}) => column(key, render, extra),
  }
}
