import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { defineMessages } from '@/i18n/messages'
import { required } from '@/rules/texts'
import { show } from '@/testing/render'
import { safeHtml } from '@/ui/safe-html'
import { FormDrawer } from '../form/form-drawer'
import { useForm } from '../form/use-form'
import { RichText } from './rich-text'
import { RichTextField } from './rich-text-field'

const messages = defineMessages({ fields: { content: ['正文', 'Content'] } })
const save = vi.fn()
beforeEach(() => save.mockReset().mockResolvedValue({}))
// jsdom has no layout, and the editor asks where its cursor is.
Range.prototype.getClientRects = () => [] as unknown as DOMRectList
Range.prototype.getBoundingClientRect = () => new DOMRect()
document.elementFromPoint = () => null

function Article({ content }: { content?: string }) {
  const form = useForm<Record<string, unknown>>({ defaultValues: { content } })
  return (
    <FormDrawer form={form} save={save} title="x" messages={messages} onClose={() => undefined}>
      <RichTextField name="content" rules={[required]} />
    </FormDrawer>
  )
}

const text = () => screen.findByRole('textbox', { name: '正文' })
const button = (name: string | RegExp) => screen.getByRole('button', { name })

it('shows what it is given without what it does not know, and sends it unchanged when nobody wrote', async () => {
  const content = '<p>你好 <strong>世界</strong></p><script>alert(1)</script>'
  const { user } = show(<Article content={content} />)
  expect(await text()).toHaveTextContent('你好 世界')
  expect((await text()).innerHTML).not.toContain('script')
  await user.click(button(/保存/))
  await waitFor(() => expect(save).toHaveBeenCalledWith({ content }))
})

it('formats by buttons that say what is on', async () => {
  const { user } = show(<Article content="<p>你好</p>" />)
  await text()
  expect(screen.getByRole('toolbar', { name: '格式' })).toBeInTheDocument()
  expect(button('标题')).toHaveAttribute('aria-pressed', 'false')
  expect(button('撤销')).toBeDisabled()
  await user.click(button('标题'))
  expect(button('标题')).toHaveAttribute('aria-pressed', 'true')
  await user.click(button(/保存/))
  await waitFor(() => expect(save).toHaveBeenCalledWith({ content: '<h2>你好</h2>' }))
})

it('takes web addresses for links, and nothing else', async () => {
  const { user } = show(<Article content="<p>你好</p>" />)
  await text()
  await user.click(button('链接'))
  const address = screen.getByRole('textbox', { name: '链接地址' })
  await user.type(address, 'javascript:alert(1)')
  expect(address).toHaveAttribute('aria-invalid', 'true')
  expect(button('确定')).toBeDisabled()
  await user.clear(address)
  await user.type(address, 'https://example.com/{Enter}')
  await waitFor(() => expect(screen.queryByRole('textbox', { name: '链接地址' })).toBeNull())
  expect(save).not.toHaveBeenCalled()
})

it('says that it is empty, and that it is too long, at the text itself', async () => {
  const { user } = show(<Article />)
  await text()
  await user.click(button(/保存/))
  expect(await screen.findByText('不能为空，请填写')).toBeInTheDocument()
  expect(await text()).toHaveAttribute('aria-invalid', 'true')
  expect(await text()).toHaveAccessibleDescription('不能为空，请填写')
})

it('says how much too long it is', async () => {
  const { user } = show(<Article content={`<p>${'长'.repeat(22_000)}</p>`} />)
  await text()
  await user.click(button(/保存/))
  expect(await screen.findByText('内容大小为 64.5 KB，上限为 64 KB，请删减')).toBeInTheDocument()
  expect(save).not.toHaveBeenCalled()
})

it.each([
  ['<p onclick="x()">a</p>', '<p>a</p>'],
  ['<img src=x onerror="x()">a', 'a'],
  ['<a href="javascript:x()">a</a>', '<a target="_blank" rel="noopener noreferrer nofollow">a</a>'],
  [
    '<a href="https://a.b/" style="position:fixed">a</a>',
    '<a href="https://a.b/" target="_blank" rel="noopener noreferrer nofollow">a</a>',
  ],
  ['<iframe src="https://a.b"></iframe><form><input></form>', ''],
  ['<svg><script>x()</script></svg><h2>a</h2>', '<h2>a</h2>'],
])('shows %s as %s', (html, safe) => expect(safeHtml(html)).toBe(safe))

it('is shown cleaned', async () => {
  show(
    <>
      <RichText html="<p>甲 <strong>乙</strong></p><script>x()</script>" />
      <RichText html={null} />
    </>,
  )
  expect((await screen.findByText('乙')).tagName).toBe('STRONG')
  expect(document.querySelector('script')).toBeNull()
  expect(screen.getByText('—')).toBeInTheDocument()
})
