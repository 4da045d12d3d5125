import { screen, waitFor, within } from '@testing-library/react'
import { http } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import { loadAccess } from '@/access/access'
import { fakeServer, good, refused, show } from '@/testing/render'
import MenusPage from './page'

vi.mock('@/access/access', () => ({
  loadAccess: vi.fn(async () => undefined),
  currentRoutes: () => [],
  useRoutesOfSession: () => [],
}))

const server = fakeServer()
const base = { icon: '', visible: true, builtin: true, createdAt: null, updatedAt: null }
const entries = [
  {
    ...base,
    id: 1,
    parentId: null,
    kind: 1,
    code: 'staff',
    name: '用户管理',
    title: '用户管理',
    path: '/user',
    sort: 0,
  },
  {
    ...base,
    id: 2,
    parentId: null,
    kind: 1,
    code: 'x',
    name: '自建',
    title: '自建',
    path: '/x',
    sort: 10,
    builtin: false,
  },
  { ...base, id: 3, parentId: 1, kind: 2, code: 'groups', name: '权限组', title: '权限组', path: 'groups', sort: 0 },
  { ...base, id: 4, parentId: 3, kind: 3, code: 'group:list', name: '查看', title: '查看', path: '', sort: 0 },
]
const called = vi.fn()
const at = (path: string) => `*/api/user/v1/menus/${path}`

beforeEach(() => {
  called.mockReset()
  vi.mocked(loadAccess).mockClear()
  server.use(
    http.get(at('findAll'), () => good({ list: entries, total: 4, pageNum: 1, pageSize: 500 })),
    http.put(at('update/:id'), async ({ request, params }) => {
      called(params.id, await request.json())
      return good({})
    }),
  )
})

const rowOf = async (text: string) => {
  const row = (await screen.findByText(text)).closest('tr')
  if (!row) throw new Error(`no row ${text}`)
  return within(row)
}

it('shows sections and screens, and the buttons of a screen that is opened', async () => {
  const { user } = show(<MenusPage />)
  expect(await screen.findByText('/user/groups')).toBeVisible()
  expect(screen.queryByText('group:list')).not.toBeInTheDocument()
  await user.click(screen.getByRole('button', { name: '展开 权限组' }))
  expect(await screen.findByText('group:list')).toBeVisible()
})

it('finds a button by its code, with what stands above it', async () => {
  show(<MenusPage />, { at: '/?keyWord=group:list' })
  expect(await screen.findByText('group:list')).toBeVisible()
  expect(screen.getByText('权限组')).toBeVisible()
  expect(screen.queryByText('自建')).not.toBeInTheDocument()
})

it('renames and moves a built-in entry, but offers neither its path nor its code', async () => {
  const { user } = show(<MenusPage />)
  await user.click((await rowOf('/user/groups')).getByRole('button', { name: '编辑' }))
  const name = await screen.findByRole('textbox', { name: /名称/ })
  expect(screen.queryByRole('textbox', { name: /路径/ })).not.toBeInTheDocument()
  await user.clear(name)
  await user.type(name, '角色')
  await user.click(screen.getByRole('button', { name: /保\s*存/ }))
  await waitFor(() => expect(called).toHaveBeenCalledOnce())
  expect(called).toHaveBeenCalledWith('3', expect.objectContaining({ parentId: 1, name: '角色', visible: true }))
  expect(called.mock.calls[0]?.[1]).not.toHaveProperty('code')
  await waitFor(() => expect(loadAccess).toHaveBeenCalled())
})

it('lets two neighbours change places', async () => {
  const { user } = show(<MenusPage />)
  await user.click((await rowOf('自建')).getByRole('button', { name: '自建 的更多操作' }))
  await user.click(await screen.findByRole('menuitem', { name: '上移' }))
  await waitFor(() => expect(called).toHaveBeenCalledTimes(2))
  expect(called.mock.calls.map(([id, body]) => [id, (body as { sort: number }).sort])).toEqual([
    ['2', 0],
    ['1', 10],
  ])
})

it('deletes what operators made, after asking, and nothing built-in', async () => {
  server.use(http.delete(at('delete/2'), () => refused(409, 4009, '请先删除它下面的条目')))
  const { user } = show(<MenusPage />)
  await user.click((await rowOf('/user')).getByRole('button', { name: '用户管理 的更多操作' }))
  expect(await screen.findByText('内置菜单不能删除，可以隐藏')).toBeInTheDocument()
  await user.keyboard('{Escape}')
  await user.click((await rowOf('自建')).getByRole('button', { name: '自建 的更多操作' }))
  await user.click((await screen.findAllByRole('menuitem', { name: '删除' })).at(-1) as HTMLElement)
  const dialog = within(await screen.findByRole('dialog'))
  await user.click(dialog.getByRole('button', { name: /删\s*除/ }))
  expect(await dialog.findByText('请先删除它下面的条目')).toBeInTheDocument()
})

it('shows no act that changes anything to somebody who may only look', async () => {
  show(<MenusPage />, { rights: ['menu:list'] })
  await screen.findByText('/user/groups')
  expect(screen.queryByRole('button', { name: '编辑' })).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: '新建分组' })).not.toBeInTheDocument()
})
