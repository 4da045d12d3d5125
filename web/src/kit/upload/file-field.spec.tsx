import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import { ApiFailure } from '@/api/failure'
import { defineMessages } from '@/i18n/messages'
import { show } from '@/testing/render'
import { FormDrawer } from '../form/form-drawer'
import { useForm } from '../form/use-form'
import { FileField } from './file-field'
import type { Begun, Hooks } from './in-pieces'
import type { FileSender } from './sender'

const messages = defineMessages({ fields: { file: ['文件', 'File'] } })
const save = vi.fn()
const giveUp = vi.fn()

/** What the test decides of a file on its way. */
interface OnItsWay extends Hooks {
  arrive: (made: { id: number }) => void
  fail: (error: unknown) => void
}

let begun: Begun[]
let way: OnItsWay | undefined
const sender: FileSender<{ id: number }> = {
  key: ['operationUploadMine'],
  send: (_, hooks) =>
    new Promise((arrive, fail) => {
      way = { ...hooks, arrive, fail }
      hooks.signal.addEventListener('abort', () => fail(hooks.signal.reason))
    }),
  unfinished: async () => begun,
  giveUp: async (id) => {
    giveUp(id)
    begun = begun.filter((upload) => upload.id !== id)
  },
}

const modifiedAt = '2026-11-20T13:00:00.000Z'
const file = new File(['x'.repeat(2048)], '游戏.apk', { lastModified: Date.parse(modifiedAt) })
const unfinished = (offset: number): Begun => ({
  ...{ id: 'u1', fileName: file.name, size: file.size, modifiedAt, offset },
  ...{ pieceLimit: 1024, expiresAt: '2026-11-22T13:00:00Z' },
})

beforeEach(() => {
  begun = []
  way = undefined
  save.mockReset().mockResolvedValue({})
  giveUp.mockReset()
})

function Sheet() {
  const form = useForm<Record<string, unknown>>({ defaultValues: {} })
  const [isOpen, setOpen] = useState(true)
  if (!isOpen) return null
  return (
    <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => setOpen(false)}>
      <FileField name="file" sender={sender} />
    </FormDrawer>
  )
}

const button = (name: string) => screen.getByRole('button', { name })
const absent = (name: string) => expect(screen.queryByRole('button', { name })).toBeNull()

async function choose() {
  const { user } = show(<Sheet />)
  const chosen = async () => {
    await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, file)
    await waitFor(() => expect(way).toBeDefined())
    return way as OnItsWay
  }
  return { user, chosen, way: await chosen() }
}

it('says how far a file is, how fast and for how long still, and its value is what was made of it', async () => {
  const { user, way } = await choose()
  way.onStage({ is: 'sending', sent: 1024, perSecond: 16 })
  expect(await screen.findByText('游戏.apk · 已上传 1 KB / 2 KB · 16 B/s · 约剩 1 分钟')).toBeVisible()
  expect(screen.getByRole('progressbar', { name: '上传进度：游戏.apk' })).toHaveAttribute('aria-valuenow', '50')
  way.onStage({ is: 'checking' })
  expect(await screen.findByText(/正在检查文件/)).toBeVisible()
  absent('暂停')
  absent('放弃上传')
  way.arrive({ id: 7 })
  expect(await screen.findByText('游戏.apk (2 KB)')).toBeVisible()
  await user.click(button('保存'))
  await waitFor(() => expect(save).toHaveBeenCalledWith({ file: 7 }))
})

it('is paused and goes on with the same file', async () => {
  const { user, way: first } = await choose()
  first.onStage({ is: 'sending', sent: 512 })
  await user.click(button('暂停'))
  expect(await screen.findByText('游戏.apk · 已上传 512 B / 2 KB · 已暂停')).toBeVisible()
  expect(first.signal.aborted).toBe(true)
  await user.click(button('继续上传'))
  await waitFor(() => expect(way).not.toBe(first))
  way?.arrive({ id: 8 })
  expect(await screen.findByText('游戏.apk (2 KB)')).toBeVisible()
})

it('says why it waits, and why it stands still in the end', async () => {
  const { way } = await choose()
  way.onStage({ is: 'waiting', sent: 512, why: '服务器磁盘已满' })
  expect(await screen.findByText('服务器磁盘已满。此前已上传的部分不会丢失，稍后自动继续')).toBeVisible()
  way.fail(new TypeError('Failed to fetch'))
  expect(await screen.findByText('网络连接中断。此前已上传的部分不会丢失')).toBeVisible()
  expect(button('继续上传')).toBeEnabled()
})

it('tells why a file is refused, and leaves nothing of it on the server', async () => {
  const { way } = await choose()
  begun = [unfinished(2048), { ...unfinished(5), id: 'u2', size: 99 }]
  const why = '文件“游戏.apk”：内容有害'
  way.fail(
    new ApiFailure({ status: 4000, httpStatus: 400, msg: '', errors: [{ field: 'file', code: 'x', message: why }] }),
  )
  expect(await screen.findByText(why)).toBeVisible()
  await waitFor(() => expect(giveUp.mock.calls).toEqual([['u1']]))
  absent('继续上传')
})

it('gives up what is on its way', async () => {
  const { user, way } = await choose()
  begun = [unfinished(512)]
  await user.click(button('放弃上传'))
  await waitFor(() => expect(giveUp).toHaveBeenCalledWith('u1'))
  expect(way.signal.aborted).toBe(true)
  await waitFor(() => expect(screen.queryByRole('progressbar')).toBeNull())
  expect(button('选择文件')).toBeEnabled()
})

it('shows after a reload what was begun: the same file goes on, or it is given up', async () => {
  begun = [unfinished(1024), { ...unfinished(5), id: 'u2', fileName: '别的.bin' }]
  const { user } = show(<Sheet />)
  expect(await screen.findByText('游戏.apk 上次传到 50%，再次选择该文件即可继续')).toBeVisible()
  const other = (await screen.findByText(/^别的\.bin/)).closest('[role=note]')
  await user.click(other?.querySelector('button') as Element)
  await waitFor(() => expect(screen.queryByText(/^别的\.bin/)).toBeNull())
  expect(giveUp.mock.calls).toEqual([['u2']])
})

it('pauses when its form is closed', async () => {
  const { way, user } = await choose()
  await user.click(button('取消'))
  await waitFor(() => expect(way.signal.aborted).toBe(true))
})
