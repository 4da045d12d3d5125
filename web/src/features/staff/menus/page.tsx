import { lazy, Suspense, useState } from 'react'
import { allScreens } from '@/access/screens'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ChoiceLabel } from '@/kit/choices'
import { columnsOf } from '@/kit/list/columns'
import { ChoiceFilter, TextFilter } from '@/kit/list/filters'
import { ListPage } from '@/kit/list/list-page'
import { Button } from '@/ui/button'
import { DownIcon } from '@/ui/icons'
import { MenuIcon } from '@/ui/menu-icons'
import { StatusTag } from '@/ui/status-tag'
import { menuKind, menuOrigin, menuVisibility } from './choices'
import type { Editing } from './form'
import { useMenuActs } from './menu-acts'
import { messages } from './messages'
import { type MenuRow, useMenuTree } from './use-menu-tree'
import './menus.css'

const Form = lazy(() => import('./form'))

const { section, screen, button } = menuKind.value
const c = columnsOf<MenuRow>()

const columns = [
  c.custom('title', (row) => <TreeCell row={row} />, { pin: 'start', lasting: true }),
  c.choice('kind', menuKind),
  c.code('fullPath'),
  c.code('code'),
  c.number('sort'),
  // A button is not drawn by the menu.
  c.custom(
    'visible',
    ({ kind, visible }) => kind !== button && <ChoiceLabel choices={menuVisibility} value={visible} />,
    {},
  ),
  c.choice('builtin', menuOrigin),
  c.time('updatedAt', { spare: true }),
]

/** The menu for everybody: names, positions, visibility. */
export default function MenusPage() {
  const m = useMessages(messages)
  const { list, tree, screens, isAllOpen, toggleAll } = useMenuTree()
  const acts = useMenuActs()
  const [editing, setEditing] = useState<Editing>()
  const siblingsOf = ({ kind, parentId }: MenuRow) => {
    const level =
      kind === section ? tree : (kind === screen ? tree : screens).find(({ entry }) => entry.id === parentId)
    return (Array.isArray(level) ? level : (level?.children ?? [])).map(({ entry }) => entry)
  }
  const kindEdited = editing && ('entry' in editing ? editing.entry.kind : (editing.parent?.entry.kind ?? 0) + 1)

  return (
    <ListPage
      messages={messages}
      list={list}
      columns={columns}
      exports={{ operation: 'menuExport', need: 'menu:export' }}
      nameOf={(row) => row.title}
      filters={
        <>
          <TextFilter name="keyWord" placeholder={m.search} width={240} />
          <ChoiceFilter name="visible" choices={menuVisibility} />
          <ChoiceFilter name="builtin" choices={menuOrigin} />
          <Button disabled={list.isFiltered} onClick={toggleAll}>
            {isAllOpen ? m.collapseAll : m.expandAll}
          </Button>
        </>
      }
      pageActions={[action(m.addSection, { need: 'menu:create', run: () => setEditing({ parent: undefined }) })]}
      rowActions={(row) => [
        action(m.edit, { need: 'menu:update', run: () => setEditing({ entry: row }) }),
        ...(row.kind === button
          ? []
          : [
              action(row.kind === section ? m.addScreen : m.addButton, {
                need: 'menu:create',
                run: () => setEditing({ parent: row.node }),
              }),
            ]),
        ...acts(row.node, siblingsOf(row)),
      ]}
    >
      <Suspense>
        {editing && (
          <Form
            editing={editing}
            places={kindEdited === button ? screens : tree}
            onClose={() => setEditing(undefined)}
          />
        )}
      </Suspense>
    </ListPage>
  )
}

/** The name, as deep as it lies, with what opens and closes the part below it. */
function TreeCell({ row }: { row: MenuRow }) {
  const m = useMessages(messages)
  const { title, node, depth, isOpen, toggle, kind, icon } = row
  const hasPage = kind !== screen || allScreens().some(({ code, path }) => code === row.code || path === row.fullPath)
  return (
    <span className="menu-cell" style={{ paddingInlineStart: depth * 20 }}>
      {node.children.length > 0 ? (
        <button
          type="button"
          className="sky-icon-button"
          aria-expanded={isOpen}
          aria-label={isOpen ? m.collapse(title) : m.expand(title)}
          onClick={toggle}
        >
          <DownIcon aria-hidden rotate={isOpen ? 0 : -90} />
        </button>
      ) : (
        <span className="menu-leaf" />
      )}
      {kind !== button && <MenuIcon name={icon} />}
      <span className="menu-title" title={title} data-strong={kind === section || undefined}>
        {title}
      </span>
      {!hasPage && (
        <span title={m.noPageHint}>
          <StatusTag tone="warn">{m.noPage}</StatusTag>
        </span>
      )}
    </span>
  )
}
