import '../kit.css'
import { type CSSProperties, type UIEvent, useState } from 'react'
import { sentenceOf } from '@/api/sentence'
import { useMessages } from '@/i18n/messages'
import { grouped } from '@/rules/format'
import { Select } from '@/ui/select'
import type { FieldInput } from '../form/field'
import { kitMessages } from '../messages'
import { referenceMessages } from './reference-messages'
import type { Named, Reference, ReferenceId, ReferenceSource } from './source'
import { useChoices, useNames } from './use-choices'

interface ReferenceSelectProps {
  source: ReferenceSource
  ids: readonly ReferenceId[]
  onChange: (ids: readonly ReferenceId[]) => void
  many?: boolean
  /** Names that are known beforehand. */
  known?: readonly Reference[]
  /** What it belongs to is not chosen yet. A value that is there all the same is shown, and can be taken away. */
  waits?: boolean
  look?: Omit<FieldInput<never>, 'value' | 'onChange'> & {
    'aria-label'?: string
    placeholder?: string
    style?: CSSProperties
  }
}

interface Option {
  value: ReferenceId
  label: string
}

/** So near to the end of the popup, in pixels and in rows, the next page is asked for. */
const near = 80
const nearRows = 4

/** Chooses things by name. The server searches; the popup holds the pages that were scrolled to. */
export function ReferenceSelect(props: ReferenceSelectProps) {
  const { source, ids, many = false, known, waits = false, look = {} } = props
  const m = useMessages(referenceMessages)
  const [isOpen, setOpen] = useState(false)
  const choices = useChoices(source, isOpen)
  const names = useNames(source, ids, known)
  const isOff = !choices.may || (waits && ids.length === 0)

  const labelOf = (id: ReferenceId) => {
    const one = names.nameOf(id)
    if (!one) return `#${id}`
    return one.name ?? m.gone(String(id))
  }
  const chosen: Option[] = ids.map((value) => ({ value, label: labelOf(value) }))
  const change = (next: Option | Option[] | null | undefined) => {
    const options = [next ?? []].flat()
    const found = options.flatMap(({ value }) => choices.items.find(({ id }) => id === value) ?? [])
    names.remember(found)
    props.onChange(options.map(({ value }) => value))
  }
  const nearEnd = ({ currentTarget }: UIEvent<HTMLElement>) => {
    const { scrollTop, clientHeight, scrollHeight } = currentTarget
    if (scrollTop + clientHeight > scrollHeight - near) choices.more()
  }
  return (
    <Select<Option | Option[] | null, Option>
      {...look}
      className="kit-reference"
      {...(many && { mode: 'multiple' as const })}
      // Absent, it follows the form around it.
      {...(isOff && { disabled: true })}
      placeholder={look.placeholder ?? (waits ? m.waits : m.search)}
      labelInValue
      allowClear
      showSearch={{ filterOption: false, searchValue: choices.typed, onSearch: choices.type }}
      options={choices.items.map(optionOf)}
      value={many ? chosen : (chosen[0] ?? null)}
      onChange={change}
      onOpenChange={(next) => {
        setOpen(next)
        if (!next) choices.type('')
      }}
      onPopupScroll={nearEnd}
      // Somebody who goes down with the keyboard scrolls as well, though not always as far as the last pixel.
      onActive={(active) => {
        const at = choices.items.findIndex(({ id }) => id === (active as unknown))
        if (at >= choices.items.length - nearRows) choices.more()
      }}
      loading={isOpen && choices.isSearching}
      notFoundContent={<Nothing choices={choices} />}
      popupRender={(menu) => (
        <>
          {menu}
          <More choices={choices} />
        </>
      )}
    />
  )
}

const optionOf = ({ id, name }: Named): Option => ({ value: id, label: name })

type Choices = ReturnType<typeof useChoices>

/** What stands in the popup in the place of choices. */
function Nothing({ choices }: { choices: Choices }) {
  const m = useMessages(referenceMessages)
  const k = useMessages(kitMessages)
  if (choices.error) return null
  if (choices.isSearching) return <span role="status">{k.loading}</span>
  return <span role="status">{choices.keyword ? m.noMatch(choices.keyword) : m.none}</span>
}

/** Below the choices: how many of all these are, or why there are no more. */
function More({ choices }: { choices: Choices }) {
  const m = useMessages(referenceMessages)
  const k = useMessages(kitMessages)
  if (choices.error) {
    return (
      <div className="kit-reference-more" role="alert">
        {sentenceOf(choices.error)}{' '}
        {/* The popup closes when the field loses the focus, and a press of the mouse would take it away. */}
        <button
          type="button"
          className="sky-link"
          onMouseDown={(event) => event.preventDefault()}
          onClick={choices.retry}
        >
          {k.retry}
        </button>
      </div>
    )
  }
  if (choices.items.length === 0 || choices.items.length >= choices.total) return null
  return (
    <div className="kit-reference-more" role="status">
      {choices.isSearching ? k.loading : m.shown(grouped(choices.items.length), grouped(choices.total))}
    </div>
  )
}
