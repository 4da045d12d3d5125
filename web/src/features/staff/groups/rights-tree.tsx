import { useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { kitMessages } from '@/kit/messages'
import { Button } from '@/ui/button'
import { Checkbox } from '@/ui/checkbox'
import { DownIcon, SearchIcon } from '@/ui/icons'
import { TextInput } from '@/ui/input'
import { Placeholder } from '@/ui/placeholder'
import { rightsMessages } from './messages'
import { canTurn, countOf, type Held, markOf, matching, type Right, turned } from './rights'
import './rights.css'

interface RightsTreeProps {
  tree: readonly Right[]
  held: Held
  isReadOnly: boolean
  onChange: (held: Held) => void
}

/** Sections, their pages, and the buttons of a page beside it: every entry with its box. */
export function RightsTree({ tree, held, isReadOnly, onChange }: RightsTreeProps) {
  const m = useMessages(rightsMessages)
  const { clearFilters } = useMessages(kitMessages)
  const [text, setText] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<number>>(new Set())
  const shown = matching(tree, text)
  const total = countOf(tree, held)
  const isSearching = text.trim() !== ''
  const allClosed = tree.every(({ id }) => closed.has(id))

  function toggleSection(id: number) {
    const next = new Set(closed)
    if (!next.delete(id)) next.add(id)
    setClosed(next)
  }
  // While a search narrows the tree, a checkbox covers only what is shown: nothing invisible is changed.
  const turn = (right: Right) => onChange(turned(tree, held, right))
  const box = { held, isReadOnly, onTurn: turn }

  return (
    <div className="rights">
      <div className="rights-bar">
        <TextInput
          type="search"
          aria-label={m.search}
          placeholder={m.search}
          prefix={<SearchIcon aria-hidden />}
          style={{ width: 280 }}
          allowClear
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          disabled={isSearching}
          onClick={() => setClosed(allClosed ? new Set() : new Set(tree.map(({ id }) => id)))}
        >
          {allClosed ? m.expandAll : m.collapseAll}
        </Button>
        <span className="sky-soft" aria-live="polite">
          {m.count(total.held, total.all)}
        </span>
      </div>
      {shown.length === 0 && (
        <Placeholder title={m.noMatch} action={<Button onClick={() => setText('')}>{clearFilters}</Button>} />
      )}
      {shown.map((section) => {
        const isOpen = isSearching || !closed.has(section.id)
        const count = countOf([section], held)
        return (
          <section key={section.id} className="rights-section" aria-label={section.name}>
            <header>
              <button
                type="button"
                className="sky-icon-button"
                aria-expanded={isOpen}
                aria-label={isOpen ? m.collapse(section.name) : m.expand(section.name)}
                onClick={() => toggleSection(section.id)}
              >
                <DownIcon aria-hidden rotate={isOpen ? 0 : -90} />
              </button>
              <RightBox right={section} {...box} />
              <span className="sky-soft">
                {count.held} / {count.all}
              </span>
            </header>
            {isOpen && section.children.map((screen) => <ScreenRow key={screen.id} screen={screen} {...box} />)}
          </section>
        )
      })}
    </div>
  )
}

interface BoxProps {
  held: Held
  isReadOnly: boolean
  onTurn: (right: Right) => void
}

function ScreenRow({ screen, ...box }: BoxProps & { screen: Right }) {
  return (
    <div className="rights-screen">
      <RightBox right={screen} {...box} />
      <div className="rights-buttons">
        {screen.children.map((button) => (
          <RightBox key={button.id} right={button} {...box} />
        ))}
      </div>
    </div>
  )
}

function RightBox({ right, held, isReadOnly, onTurn }: BoxProps & { right: Right }) {
  const m = useMessages(rightsMessages)
  const mark = markOf(right, held)
  const isLocked = !canTurn(right)
  const isPageOnly = mark === 'some' && right.children.every((child) => markOf(child, held) === 'none')
  // A title instead of a tooltip: there are hundreds of these.
  const title = isLocked ? m.lacking : isPageOnly ? m.pageOnly : right.code
  return (
    <span title={title}>
      <Checkbox
        checked={mark === 'all'}
        indeterminate={mark === 'some'}
        disabled={isReadOnly || isLocked}
        onChange={() => onTurn(right)}
      >
        {right.name}
      </Checkbox>
    </span>
  )
}
