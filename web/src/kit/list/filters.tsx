import { createContext, lazy, Suspense, useContext, useEffect, useRef, useState } from 'react'
import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { formatDateTime } from '@/rules/format'
import { Button } from '@/ui/button'
import { Dropdown } from '@/ui/dropdown'
import { DownIcon, SearchIcon } from '@/ui/icons'
import { TextInput } from '@/ui/input'
import { Select } from '@/ui/select'
import { type Choices, type ChoiceValue, choiceText, useOptions } from '../choices'
import { useLabel } from '../labels'
import { kitMessages } from '../messages'
import { FilterChip, useFilterFace } from './filter-face'
import type { List } from './use-list'

const ListContext = createContext<List | undefined>(undefined)
export const ListProvider = ListContext.Provider

/** The list around a filter. */
export function useCurrentList(): List {
  const list = useContext(ListContext)
  if (!list) throw new Error('a filter stands outside a ListPage')
  return list
}

function useFilterValue<T>(name: string) {
  const list = useCurrentList()
  return [list.filter[name] as T | undefined, (value: T | undefined) => list.setFilter({ [name]: value })] as const
}

/** The pause in typing after which the list asks. */
const typingPause = 300

/** Free text, sent when typing pauses. */
export function TextFilter({
  name,
  placeholder: given,
  width = 210,
}: {
  name: string
  placeholder?: string
  width?: number
}) {
  const [value = '', change] = useFilterValue<string>(name)
  const [typed, setTyped] = useState(value)
  const [seen, setSeen] = useState(value)
  // What was sent and the address has not followed yet: it may do so when something else is typed by then.
  const [pending, setPending] = useState<string[]>([])
  const sent = pending.at(-1) ?? value
  if (seen !== value) {
    setSeen(value)
    const followed = pending.indexOf(value)
    setPending(followed < 0 ? [] : pending.slice(followed + 1))
    // The address changed from elsewhere (a link, "clear filters"): the field follows.
    if (followed < 0) setTyped(value)
  }
  const label = useLabel(name, given)
  const { isChip, placeholder } = useFilterFace(label)

  // Once, when typing pauses, at Enter or when the field is left, whichever comes first. The address follows on a busy machine
  // much later: a timer that asked then would bring a list back that somebody has left meanwhile.
  const isSent = useRef(true)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const send = () => {
    clearTimeout(timer.current)
    if (isSent.current) return
    isSent.current = true
    // What was sent before that may never be seen in the address.
    setPending(sent === value ? [typed.trim()] : [...pending, typed.trim()])
    change(typed.trim() || undefined)
  }
  useEffect(() => {
    if (typed.trim() === sent) isSent.current = true
    if (isChip || isSent.current) return
    timer.current = setTimeout(send, typingPause)
    return () => clearTimeout(timer.current)
  })

  if (isChip) return value && <FilterChip label={label} value={value} onRemove={() => change(undefined)} />
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      // What can be searched for is a long list of words.
      title={placeholder}
      prefix={<SearchIcon aria-hidden />}
      style={{ width }}
      maxLength={64}
      allowClear
      value={typed}
      onChange={(event) => {
        isSent.current = false
        setTyped(event.target.value)
      }}
      onPressEnter={send}
      onBlur={send}
    />
  )
}

/** From so many values on a list is typed into rather than read. */
const manyChoices = 12

/** Room for a label in either script, the arrow beside it, and what is chosen. */
function widthFor(label: string): number {
  const text = [...label].reduce((width, letter) => width + (letter.charCodeAt(0) > 0xff ? 13 : 7.5), 0)
  return Math.max(112, Math.ceil(text) + 46)
}

/** One value of a closed list. */
export function ChoiceFilter(props: { name: string; choices: Choices; width?: number }) {
  const [value, change] = useFilterValue<ChoiceValue>(props.name)
  const label = useLabel(props.name)
  const options = useOptions(props.choices)
  const language = useLanguage()
  const { isChip, placeholder } = useFilterFace(label)
  if (isChip) {
    if (value === undefined) return null
    const text = choiceText(props.choices, value, language)
    return <FilterChip label={label} value={text} onRemove={() => change(undefined)} />
  }
  return (
    <Select
      aria-label={label}
      placeholder={placeholder}
      options={options}
      style={{ width: props.width ?? widthFor(label) }}
      popupMatchSelectWidth={false}
      showSearch={props.choices.list.length > manyChoices && { optionFilterProp: 'label' }}
      allowClear
      value={(value ?? null) as string | number | null}
      onChange={(next) => change(next ?? undefined)}
    />
  )
}

const RangeDialog = lazy(() => import('./range-dialog'))

const startOfDay = (daysAgo: number) => {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - daysAgo)
  return day.toISOString()
}

/** A span of time: the usual ones at once, any other in a dialog (the date picker weighs 30 KB and is loaded then). */
export function TimeRangeFilter(props: { name: string; from?: string; to?: string; width?: number }) {
  const { name, from = 'startTime', to = 'endTime' } = props
  const m = useMessages(kitMessages)
  const list = useCurrentList()
  const label = useLabel(name)
  const [isChoosing, setChoosing] = useState(false)
  const start = list.filter[from] as string | undefined
  const end = list.filter[to] as string | undefined
  const set = (next?: string, until?: string) => list.setFilter({ [from]: next, [to]: until })
  const day = (time?: string) => (time ? formatDateTime(new Date(time)).slice(0, 16) : '…')
  const { isChip, placeholder } = useFilterFace(label)
  const span = `${day(start)} – ${day(end)}`
  if (isChip) {
    return (start || end) && <FilterChip label={label} value={span} onRemove={() => set()} />
  }
  const items = [
    { key: 'any', label: m.anyTime, onClick: () => set() },
    { key: 'today', label: m.today, onClick: () => set(startOfDay(0)) },
    { key: '7', label: m.lastDays(7), onClick: () => set(startOfDay(6)) },
    { key: '30', label: m.lastDays(30), onClick: () => set(startOfDay(29)) },
    { key: 'other', label: m.otherSpan, onClick: () => setChoosing(true) },
  ]
  return (
    <>
      <Dropdown trigger={['click']} menu={{ items }}>
        <Button
          aria-label={label}
          data-active={Boolean(start || end) || undefined}
          className="kit-span"
          {...(props.width && { style: { minWidth: props.width } })}
        >
          {start || end ? span : placeholder}
          <DownIcon aria-hidden />
        </Button>
      </Dropdown>
      {isChoosing && (
        <Suspense>
          <RangeDialog title={label} start={start} end={end} onChoose={set} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </>
  )
}
