import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { show } from '@/testing/render'
import { FormDrawer } from '../form/form-drawer'
import { useForm } from '../form/use-form'
import { ImageField, ImagesField } from './image-field'
import type { Picture } from './picture'
import { Thumbs } from './thumb'

const messages = defineMessages({ fields: { image: ['图片', 'Picture'], images: ['图片', 'Pictures'] } })
const save = vi.fn()
const send = vi.fn()
const pixels = vi.fn()
beforeEach(() => {
  save.mockReset().mockResolvedValue({})
  pixels.mockReset().mockResolvedValue({ width: 1125, height: 480, close() {} })
  vi.stubGlobal('createImageBitmap', pixels)
  let id = 100
  send.mockReset().mockImplementation(async (file: File) => {
    id += 1
    return { id, url: `/files/${id}`, name: file.name }
  })
})

const png = (name: string, size = 3) => new File(['x'.repeat(size)], name, { type: 'image/png' })
const chooser = () => document.querySelector('input[type=file]') as HTMLInputElement
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const shown = (): (string | null)[] =>
  screen.getAllByRole('button', { name: /^查看大图/ }).map((each) => each.getAttribute('aria-label'))

function One({ image }: { image?: Picture }) {
  const form = useForm<Record<string, unknown>>({ defaultValues: { image } })
  return (
    <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => undefined}>
      <ImageField name="image" send={send} sizes={[[1125, 480]]} />
    </FormDrawer>
  )
}

function Several({ images }: { images?: readonly Picture[] }) {
  const form = useForm<Record<string, unknown>>({ defaultValues: { images } })
  return (
    <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => undefined}>
      <ImagesField name="images" send={send} most={3} />
    </FormDrawer>
  )
}

it('sends a picture when it is chosen, in the place of the old one', async () => {
  const { user } = show(<One image={{ id: 1, url: '/files/1', name: 'old.png' }} />)
  expect(await screen.findByText(/jpg, jpeg, png，不超过 20 MB · 像素：1125×480/)).toBeInTheDocument()
  await user.upload(chooser(), png('new.png'))
  await waitFor(() => expect(shown()).toEqual(['查看大图：new.png']))
  await user.click(button(/保存/))
  await waitFor(() => expect(save).toHaveBeenCalledWith({ image: { id: 101, url: '/files/101', name: 'new.png' } }))
})

it('says what is wrong with a picture, and sends none of those', async () => {
  const { user } = show(<One />)
  await screen.findByText('x')
  pixels.mockResolvedValueOnce({ width: 10, height: 20, close() {} })
  await user.upload(chooser(), png('small.png'))
  expect(await screen.findByText('small.png：图片尺寸为 10×20 像素，须为：1125×480')).toBeInTheDocument()
  pixels.mockRejectedValueOnce(new Error('no picture'))
  await user.upload(chooser(), png('text.png'))
  expect(await screen.findByText('text.png：文件已损坏或不完整，请重新选择或重新上传')).toBeInTheDocument()
  expect(screen.queryByText(/^small.png/)).toBeNull()
  fireEvent.change(chooser(), { target: { files: [png('a.exe')] } })
  expect(await screen.findByText(/^a.exe：文件类型不正确/)).toBeInTheDocument()
  fireEvent.change(chooser(), { target: { files: [png('empty.png', 0)] } })
  expect(await screen.findByText(/^empty.png：文件是空的/)).toBeInTheDocument()
  expect(send).not.toHaveBeenCalled()
})

it('does not send the form without a picture that is on its way', async () => {
  let arrive = (_: Picture) => {}
  send.mockImplementation((_: File, onProgress: (sent: number) => void) => {
    onProgress(0.5)
    return new Promise((resolve) => {
      arrive = resolve
    })
  })
  const { user } = show(<One />)
  await screen.findByText('x')
  await user.upload(chooser(), png('slow.png'))
  expect(await screen.findByText('正在上传 slow.png：50%')).toBeInTheDocument()
  await user.click(button(/保存/))
  expect(await screen.findByText('图片还在上传，请稍候')).toBeInTheDocument()
  expect(save).not.toHaveBeenCalled()
  arrive({ id: 7, url: '/files/7' })
  await waitFor(() => expect(shown()).toEqual(['查看大图：slow.png']))
  await user.click(button(/保存/))
  await waitFor(() => expect(save).toHaveBeenCalled())
})

it('takes several up to the most, puts them in order and removes them', async () => {
  const images = [
    { id: 1, url: '/files/1', name: 'a' },
    { id: 2, url: '/files/2', name: 'b' },
  ]
  const { user } = show(<Several images={images} />)
  await screen.findByText('x')
  await user.upload(chooser(), [png('c.png'), png('d.png')])
  expect(await screen.findByText('最多 3 张图片，有 1 张没有上传')).toBeInTheDocument()
  await waitFor(() => expect(shown()).toHaveLength(3))
  expect(button('上传图片（3/3）')).toBeDisabled()
  button('移动 c.png').focus()
  await user.keyboard('{ArrowLeft}{ArrowLeft}')
  expect(shown()).toEqual(['查看大图：c.png', '查看大图：a', '查看大图：b'])
  expect(screen.getByText('c.png 已移到第 1 位，共 3 位')).toBeInTheDocument()
  await user.click(button('删除 a'))
  await user.click(button(/保存/))
  await waitFor(() =>
    expect(save).toHaveBeenCalledWith({ images: [{ id: 101, url: '/files/101', name: 'c.png' }, images[1]] }),
  )
})

it('a cell shows the first picture, opens it large, and leafs through the others', async () => {
  const { user } = show(
    <Thumbs
      of={[
        { id: 1, url: '/1', name: '春' },
        { id: 2, url: '/2' },
      ]}
    />,
  )
  expect(await screen.findByText('+1')).toBeInTheDocument()
  await user.click(button('查看大图：春'))
  expect(await screen.findByRole('img', { name: '春' })).toHaveAttribute('src', '/1')
  expect(button('上一张')).toBeDisabled()
  await user.click(button('下一张'))
  expect(screen.getByRole('img', { name: '图片 2' })).toHaveAttribute('src', '/2')
  expect(screen.getByText('第 2 张，共 2 张')).toBeInTheDocument()
})

it('a cell says when a picture cannot be shown, and when there is none', async () => {
  show(
    <>
      <Thumbs of={{ id: 1, url: '/1', name: '春' }} />
      <Thumbs of={null} />
    </>,
  )
  fireEvent.error((await screen.findByRole('button', { name: '查看大图：春' })).querySelector('img') as Element)
  expect(screen.getByRole('img', { name: '春 无法显示' })).toBeInTheDocument()
  expect(screen.getByText('—')).toBeInTheDocument()
})
