import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useRoutesOfSession } from '@/access/access'
import { useCan } from '@/access/permissions'
import { allPages, type Route } from '@/access/routes'
import { titleIn } from '@/access/titles'
import type { DataOf } from '@/api/call'
import { searchSources } from '@/api/catalogue'
import type { Code } from '@/api/codes'
import { useApiQuery } from '@/api/query'
import { type QuickActOf, quickActs } from '@/features/device/quick-acts'
import { type Language, useLanguage } from '@/i18n/language'
import { inLanguage, useMessages } from '@/i18n/messages'
import { formatDateTime } from '@/rules/format'
import { Dialog } from '@/ui/dialog'
import { SearchIcon } from '@/ui/icons'
import { messages } from '../messages'

/** One thing that quick search found. */
interface SearchHit {
  key: string
  title: string
  detail?: string
  path: string
  /** That it is out of use: who did it, when and why. */
  state?: string
  /** What is begun on it, instead of opening it. */
  begins?: QuickBegin
}

/** An act on something that was found. */
export interface QuickBegin {
  act: QuickActOf
  id: number
  title: string
  target: string
}

/** Ctrl-K or Cmd-K, anywhere. */
export function useQuickSearchKey(onOpen: () => void) {
  // The key works wherever the focus is, so it is heard on the window; and from the moment that the frame can be seen:
  // an effect that waits for the paint would leave a moment on a busy machine in which the keys do nothing.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      if (!modalIsOpen()) onOpen()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  })
}

/** A modal dialog keeps the focus; leaving the page from under it would lose what is being typed there. */
function modalIsOpen(): boolean {
  const modals = document.querySelectorAll('[aria-modal="true"], dialog[open]')
  return [...modals].some((modal) => modal.checkVisibility())
}

/** The pages whose title (in either language) or path holds every word, best first. */
export function findPages(routes: readonly Route[], text: string, language: Language): SearchHit[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  return allPages(routes)
    .map(({ route, above }) => {
      const title = titleIn(route.title, language)
      const detail = above.map((section) => titleIn(section.title, language)).filter((name) => name !== title)
      const other = titleIn(route.title, language === 'zh' ? 'en' : 'zh')
      const haystack = [title, other, ...detail, route.path].join('\n').toLowerCase()
      const rank = wanted.length === 0 ? 2 : title.toLowerCase().startsWith(wanted[0] ?? '') ? 0 : 1
      return { hit: { key: route.path, title, detail: detail.join(' / '), path: route.path }, haystack, rank }
    })
    .filter(({ haystack }) => wanted.every((word) => haystack.includes(word)))
    .sort((a, b) => a.rank - b.rank)
    .map(({ hit }) => hit)
}

interface HitGroup {
  id: string
  title: string
  hits: SearchHit[]
}

/** How long typing may rest before the server is asked, and the fewest characters that it looks for. */
const typingPause = 250
const fewest = 2

/** The text once typing rests. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text)
  // A timer is outside React; the next key ends it.
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), typingPause)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

function useHits(text: string): { groups: HitGroup[]; isSearching: boolean } {
  const m = useMessages(messages)
  const language = useLanguage()
  const routes = useRoutesOfSession()
  const can = useCan()
  const pages = useMemo(() => findPages(routes, text, language), [routes, text, language])
  const sources = searchSources.filter((source) => can(source.need))
  const wanted = text.trim()
  const asked = useRested(wanted)
  const mayAsk = sources.length > 0 && wanted.length >= fewest
  const { data, isFetching } = useApiQuery(
    'quickSearch',
    { query: { q: asked } },
    { enabled: mayAsk && asked.length >= fewest, keepPrevious: true, suppressNotice: true },
  )
  const things = sources.map(({ kind, title }) => ({
    id: kind,
    title: inLanguage(title, language),
    hits: (mayAsk ? (data ?? []) : [])
      .filter((hit) => hit.kind === kind)
      .map(({ id, title, subtitle, path, state }) => ({
        key: `${kind}:${id}`,
        title,
        detail: subtitle,
        path,
        ...(state && { state: inOneLine(state) }),
      })),
  }))
  const acts = actsOn(things, wanted, language, can)
  const all = [{ id: 'pages', title: m.pages, hits: pages }, ...things, { id: 'acts', title: m.acts, hits: acts }]
  const groups = all.filter(({ hits }) => hits.length > 0)
  return { groups, isSearching: mayAsk && (isFetching || asked !== wanted) }
}

/** What a hit says of itself when it is out of use: disabled, by whom, when, why. */
const inOneLine = ({ label, by, at, reason }: NonNullable<DataOf<'quickSearch'>[number]['state']>) =>
  [label, by, at && formatDateTime(new Date(at)), reason].filter(Boolean).join(' · ')

/** Things of one name for which acts are offered: with more, nobody sees which is which. */
const mostActedOn = 4

/** What can be begun on what was found: on all that have the very name, else on the best. */
function actsOn(
  things: readonly HitGroup[],
  wanted: string,
  language: Language,
  can: (need: Code) => boolean,
): SearchHit[] {
  const found = things.flatMap(({ id: kind, hits }) => hits.map((hit) => ({ kind, hit })))
  const text = wanted.toLowerCase()
  const exact = found.filter(({ hit }) => [hit.title.toLowerCase(), hit.title.split(':')[0]].includes(text))
  return (exact.length > 0 ? exact.slice(0, mostActedOn) : found.slice(0, 1)).flatMap(({ kind, hit }) =>
    quickActs
      .filter((act) => act.kind === kind && can(act.need))
      .map((act) => {
        const target = [hit.title, hit.detail].filter(Boolean).join(' · ')
        const begins = { act, id: Number(hit.key.slice(kind.length + 1)), title: hit.title, target }
        return {
          key: `${hit.key}:${act.name}`,
          title: inLanguage(act.label, language),
          detail: target,
          path: '',
          begins,
        }
      }),
  )
}

/** Jumps to any screen by name and to whatever else the features can find, or begins an act on it. */
export function QuickSearch({ onClose, onBegin }: { onClose: () => void; onBegin?: (begins: QuickBegin) => void }) {
  const m = useMessages(messages)
  const navigate = useNavigate()
  const listId = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const { groups, isSearching } = useHits(text)
  const hits = groups.flatMap((group) => group.hits)
  const at = Math.min(chosen, hits.length - 1)

  // A dialog that exists to be typed into takes the cursor.
  useEffect(() => input.current?.focus(), [])
  // The chosen row may be outside the visible part of the list.
  useEffect(() => {
    if (at >= 0) list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  function open(hit: SearchHit | undefined) {
    if (!hit) return
    onClose()
    if (hit.begins) onBegin?.(hit.begins)
    else void navigate(hit.path)
  }

  function press(event: React.KeyboardEvent) {
    const count = Math.max(hits.length, 1)
    if (event.key === 'ArrowDown') setChosen((at + 1) % count)
    else if (event.key === 'ArrowUp') setChosen((at - 1 + count) % count)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) open(hits[at])
    else return
    event.preventDefault()
  }

  return (
    <Dialog title={m.search} onClose={onClose} width={560}>
      <div className="quick-field">
        <SearchIcon aria-hidden />
        <input
          ref={input}
          role="combobox"
          aria-label={m.search}
          aria-expanded={hits.length > 0}
          aria-controls={listId}
          aria-activedescendant={at >= 0 ? `${listId}-${at}` : undefined}
          autoComplete="off"
          placeholder={m.searchPlaceholder}
          value={text}
          onChange={(event) => {
            setText(event.target.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
      </div>
      <div ref={list} id={listId} role="listbox" aria-label={m.search} className="quick-list">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options inside a listbox is not a fieldset
          <div key={group.id} role="group" aria-label={group.title}>
            <div className="quick-group" aria-hidden>
              {group.title}
            </div>
            {group.hits.map((hit) => {
              const row = hits.indexOf(hit)
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the combobox that owns this list
                <div
                  key={hit.key}
                  id={`${listId}-${row}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={row === at}
                  className="quick-hit"
                  onMouseMove={() => setChosen(row)}
                  onClick={() => open(hit)}
                >
                  <span>{hit.title}</span>
                  <span className="quick-detail">{hit.detail}</span>
                  {hit.state && <span className="quick-state">{hit.state}</span>}
                  {group.id === 'pages' && <span className="quick-path">{hit.path}</span>}
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {hits.length === 0 && !isSearching && <p className="quick-empty">{m.searchEmpty}</p>}
      <div className="quick-foot">
        <span>{m.searchKeys}</span>
        <span role="status">{isSearching ? m.searching : m.searchCount(hits.length)}</span>
      </div>
    </Dialog>
  )
}
