import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { show } from '@/testing/render'
import { OrderDrawer } from './order-drawer'

const banners = [
  { id: 1, name: '春' },
  { id: 2, name: '夏' },
  { id: 3, name: '秋' },
]
const save = vi.fn()
const onClose = vi.fn()
beforeEach(() => {
  save.mockReset().mockResolvedValue({})
  onClose.mockReset()
})

const open = async () => {
  const { user } = show(
    <OrderDrawer title="轮播图顺序" items={banners} nameOf={({ name }) => name} save={save} onClose={onClose} />,
  )
  await screen.findByText('轮播图顺序')
  return user
}
const shown = () => within(screen.getByRole('list', { name: '轮播图顺序' })).getAllByText(/^[春夏秋]$/)
const order = () => shown().map(({ textContent }) => textContent)
const button = (name: string | RegExp) => screen.getByRole('button', { name })

it('is changed by buttons, of which the first and the last have an end', async () => {
  const user = await open()
  expect(button('上移 春')).toBeDisabled()
  expect(button('上移 春')).toHaveAttribute('title', '已是第一项，不能上移')
  expect(button('下移 秋')).toBeDisabled()
  expect(button(/保存/)).toBeDisabled()
  await user.click(button('上移 秋'))
  expect(order()).toEqual(['春', '秋', '夏'])
  await user.click(button(/保存/))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(save).toHaveBeenCalledExactlyOnceWith([banners[0], banners[2], banners[1]])
})

it('is changed by the arrow keys, which say where the entry went and keep hold of it', async () => {
  const user = await open()
  button('移动 春').focus()
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  expect(order()).toEqual(['夏', '秋', '春'])
  expect(button('移动 春')).toHaveFocus()
  expect(screen.getByText('春 已移到第 3 位，共 3 位')).toBeInTheDocument()
  expect(button('移动 春')).toHaveAccessibleDescription('拖动，或按方向键移动')
})

it('asks before a new order is lost, and stays open when it could not be saved', async () => {
  save.mockRejectedValue(new Error('x'))
  const user = await open()
  await user.click(button('下移 春'))
  await user.click(button(/保存/))
  await waitFor(() => expect(button(/保存/)).toBeEnabled())
  expect(onClose).not.toHaveBeenCalled()
  await user.click(button('取消'))
  expect(await screen.findByText('有未保存的修改')).toBeInTheDocument()
})
