import { type ReactNode, useState } from 'react'
import { useMessages } from '@/i18n/messages'
import { Button } from '@/ui/button'
import { Dropdown } from '@/ui/dropdown'
import { DownIcon, MoreIcon, PlusIcon } from '@/ui/icons'
import { Popover } from '@/ui/popover'
import { danger } from '../action'
import type { ActionRunner } from '../use-actions'
import { type ReadyView, ReadyViews } from './ready-views'
import type { ListLook } from './use-look'
import { viewMessages } from './view-messages'
import { ViewName } from './view-name'
import { longestName, mostViews, useSavedViews, type View, type ViewStore } from './views'

/** Views in sight; the others are behind a button. */
const inSight = 5

interface ViewBarProps {
  operation: string
  /** How many rows a view has, where that is known. */
  countOf?: (view: View) => ReactNode
  look: ListLook
  runner: ActionRunner
  /** How many rows there are at all, where that is known. */
  all?: number | undefined
  ready?: readonly ReadyView[]
}

/** The views of a list, those that everybody has and those that were saved: one opens what was saved, wherever it is opened from. */
export function ViewBar({ operation, countOf, look, runner, all, ready = [] }: ViewBarProps) {
  const m = useMessages(viewMessages)
  const store = useSavedViews(operation)
  const opened = store.list.find(({ name }) => name === look.view)
  // A view out of sight that is opened takes the last place in sight.
  const first = store.list.slice(0, inSight)
  const shown = !opened || first.includes(opened) ? first : [...first.slice(0, -1), opened]
  const others = store.list.filter((view) => !shown.includes(view))
  // A link may name a view that was never saved here.
  const foreign = look.view !== undefined && !opened ? look.view.slice(0, longestName) : undefined

  return (
    <nav className="kit-views" aria-label={m.views}>
      <ReadyViews all={m.all} total={all} views={ready} look={look} />
      {shown.map((view) =>
        view === opened ? (
          <OpenView key={view.name} name={view.name} saved={view} look={look} store={store} runner={runner} />
        ) : (
          <button key={view.name} type="button" className="kit-view" onClick={() => look.show(view)}>
            <span>{view.name}</span>
            {countOf?.(view)}
          </button>
        ),
      )}
      {foreign !== undefined && <OpenView name={foreign} look={look} store={store} runner={runner} />}
      {others.length > 0 && (
        <Dropdown
          trigger={['click']}
          menu={{ items: others.map((view) => ({ key: view.name, label: view.name, onClick: () => look.show(view) })) }}
        >
          <button type="button" className="kit-view">
            {m.moreViews} <DownIcon aria-hidden />
          </button>
        </Dropdown>
      )}
      {look.view === undefined && <SaveAs look={look} store={store} />}
    </nav>
  )
}

/** The view that is open: a dot says that it was changed, and its menu what can be done about it. */
function OpenView(props: { name: string; saved?: View; look: ListLook; store: ViewStore; runner: ActionRunner }) {
  const m = useMessages(viewMessages)
  const { name, saved, look, store, runner } = props
  const [isNaming, setNaming] = useState<'rename' | 'saveAs'>()
  const isChanged = saved !== undefined && look.textOf(saved) !== look.text
  const isFirst = store.first === name
  const keep = (as: string) => store.save({ name: as, search: look.text })
  const remove = danger(m.remove, {
    confirm: m.removeQuestion,
    run: () => {
      store.remove(name)
      look.show(undefined)
    },
  })
  const isFull = store.list.length >= mostViews
  const items = saved
    ? [
        { key: 'save', label: m.save, disabled: !isChanged, onClick: () => keep(name) },
        { key: 'saveAs', label: m.saveAs, disabled: isFull, onClick: () => setNaming('saveAs') },
        { key: 'discard', label: m.discard, disabled: !isChanged, onClick: () => look.show(saved) },
        { key: 'rename', label: m.rename, onClick: () => setNaming('rename') },
        {
          key: 'first',
          label: isFirst ? m.notFirst : m.first,
          onClick: () => store.openWith(isFirst ? undefined : name),
        },
        { key: 'remove', label: m.remove, danger: true, onClick: () => runner.start(remove, name) },
      ]
    : [{ key: 'keep', label: m.keep, disabled: isFull, onClick: () => keep(name) }]
  const onName = (next: string) => {
    if (isNaming === 'rename') store.rename(name, next)
    else keep(next)
    look.name(next)
    setNaming(undefined)
  }
  const question = (
    <ViewName
      key={isNaming}
      {...(isNaming === 'rename' && { name })}
      taken={store.list.map((view) => view.name)}
      onName={onName}
    />
  )

  return (
    <span className="kit-view" data-open>
      <Popover
        open={isNaming !== undefined}
        trigger="click"
        placement="bottomLeft"
        destroyOnHidden
        content={question}
        onOpenChange={(isOpen) => !isOpen && setNaming(undefined)}
      >
        <button type="button" aria-current="true" onClick={() => saved && look.show(saved)}>
          <span>{name}</span>
          {isFirst && <small title={m.isFirst}>★</small>}
          {isChanged && <small className="kit-changed" role="img" title={m.changed} aria-label={m.changed} />}
        </button>
      </Popover>
      <Dropdown trigger={['click']} menu={{ items }}>
        <button type="button" className="sky-icon-button" aria-label={m.acts(name)}>
          <MoreIcon aria-hidden />
        </button>
      </Dropdown>
    </span>
  )
}

/** Keeps what is shown now as a new view. */
function SaveAs({ look, store }: { look: ListLook; store: ViewStore }) {
  const m = useMessages(viewMessages)
  const [isOpen, setOpen] = useState(false)
  const isFull = store.list.length >= mostViews
  const save = (name: string) => {
    store.save({ name, search: look.text })
    look.name(name)
    setOpen(false)
  }
  return (
    <Popover
      open={isOpen}
      trigger="click"
      placement="bottomLeft"
      destroyOnHidden
      content={<ViewName taken={store.list.map(({ name }) => name)} onName={save} />}
      onOpenChange={setOpen}
    >
      <Button
        type="link"
        size="small"
        icon={<PlusIcon />}
        disabled={isFull}
        title={isFull ? m.full(mostViews) : m.saveAsHint}
      >
        {m.saveAs}
      </Button>
    </Popover>
  )
}
