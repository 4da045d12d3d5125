import './rich-text.css'
import { Editor } from '@tiptap/core'
import StarterKit from '@tiptap/starter-kit'
import { useEffect, useReducer, useRef, useState } from 'react'
import { Button } from './button'
import {
  BoldIcon,
  BulletsIcon,
  HeadingIcon,
  ItalicIcon,
  LinkIcon,
  NumbersIcon,
  RedoIcon,
  UnderlineIcon,
  UndoIcon,
} from './editor-icons'
import { TextInput } from './input'
import { useDisabled } from './use-disabled'

/** The words of the editor. */
export interface EditorWords {
  bar: string
  bold: string
  italic: string
  underline: string
  heading: string
  bullets: string
  numbers: string
  link: string
  address: string
  set: string
  unset: string
  undo: string
  redo: string
}

export interface RichTextEditorProps {
  id?: string
  words: EditorWords
  /** HTML; what the editor does not know is left out. */
  value?: string
  /** An empty text is an empty string, not an empty paragraph. */
  onChange?: (html: string) => void
  onBlur?: () => void
  'aria-invalid'?: boolean | 'true' | 'false'
  'aria-required'?: boolean | 'true' | 'false'
  'aria-describedby'?: string
  'aria-label'?: string
}

/** The same that `safe-html` lets through. */
const extensions = [
  StarterKit.configure({
    heading: { levels: [2, 3] },
    link: { openOnClick: false, protocols: ['http', 'https'], defaultProtocol: 'https' },
    blockquote: false,
    code: false,
    codeBlock: false,
    horizontalRule: false,
    strike: false,
    dropcursor: false,
    gapcursor: false,
    // An empty paragraph at the end would be part of what is saved.
    trailingNode: false,
  }),
]

const isWebAddress = (text: string) => /^https?:\/\/[^\s"'<>]+$/i.test(text)

/** A formatted text that is written: headings, lists, links, bold, italic and underlined words. */
export default function RichTextEditor(props: RichTextEditorProps) {
  const { id, words, value = '' } = props
  const place = useRef<HTMLDivElement>(null)
  const newest = useRef(props)
  newest.current = props
  const said = useRef(value)
  const [editor, setEditor] = useState<Editor>()
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  const isOff = useDisabled()

  useEffect(() => {
    const made = new Editor({
      element: place.current,
      extensions,
      content: said.current,
      onUpdate: ({ editor: now }) => {
        said.current = now.isEmpty ? '' : now.getHTML()
        newest.current.onChange?.(said.current)
      },
      onBlur: () => newest.current.onBlur?.(),
      // The buttons show what the text at the cursor is.
      onTransaction: redraw,
    })
    setEditor(made)
    return () => made.destroy()
  }, [])

  // Another text from outside, such as that of another thing.
  useEffect(() => {
    if (!editor || value === said.current) return
    said.current = value
    editor.commands.setContent(value, { emitUpdate: false })
  }, [editor, value])

  const isWrong = props['aria-invalid'] === true || props['aria-invalid'] === 'true'
  const isRequired = props['aria-required'] === true || props['aria-required'] === 'true'
  const described = props['aria-describedby']
  const name = props['aria-label']
  // The text itself is the library's element: what a screen reader says of it is written onto it.
  useEffect(() => {
    editor?.setOptions({
      editable: !isOff,
      editorProps: {
        attributes: {
          class: 'sky-rich-text',
          role: 'textbox',
          'aria-multiline': 'true',
          'aria-invalid': String(isWrong),
          'aria-required': String(isRequired),
          ...(id && { id }),
          ...(name && { 'aria-label': name }),
          ...(described && { 'aria-describedby': described }),
        },
      },
    })
  }, [editor, isOff, isWrong, isRequired, described, name, id])

  return (
    <div className="sky-editor" data-invalid={isWrong || undefined} data-disabled={isOff || undefined}>
      {editor && <Bar editor={editor} words={words} isOff={isOff} />}
      <div ref={place} className="sky-editor-text" />
    </div>
  )
}

function Bar({ editor, words, isOff }: { editor: Editor; words: EditorWords; isOff: boolean }) {
  const [address, setAddress] = useState<string>()
  const chain = () => editor.chain().focus()
  const acts = [
    { Icon: BoldIcon, label: words.bold, isOn: editor.isActive('bold'), run: () => chain().toggleBold().run() },
    { Icon: ItalicIcon, label: words.italic, isOn: editor.isActive('italic'), run: () => chain().toggleItalic().run() },
    {
      Icon: UnderlineIcon,
      label: words.underline,
      isOn: editor.isActive('underline'),
      run: () => chain().toggleUnderline().run(),
    },
    {
      Icon: HeadingIcon,
      label: words.heading,
      isOn: editor.isActive('heading'),
      run: () => chain().toggleHeading({ level: 2 }).run(),
    },
    {
      Icon: BulletsIcon,
      label: words.bullets,
      isOn: editor.isActive('bulletList'),
      run: () => chain().toggleBulletList().run(),
    },
    {
      Icon: NumbersIcon,
      label: words.numbers,
      isOn: editor.isActive('orderedList'),
      run: () => chain().toggleOrderedList().run(),
    },
    {
      Icon: LinkIcon,
      label: words.link,
      isOn: editor.isActive('link'),
      run: () => setAddress(address === undefined ? String(editor.getAttributes('link').href ?? '') : undefined),
    },
  ]
  const setLink = () => {
    if (!address || !isWebAddress(address)) return
    chain().extendMarkRange('link').setLink({ href: address }).run()
    setAddress(undefined)
  }
  return (
    <>
      <div className="sky-editor-bar" role="toolbar" aria-label={words.bar}>
        {acts.map(({ Icon, label, isOn, run }) => (
          <button
            key={label}
            type="button"
            className="sky-icon-button"
            aria-label={label}
            aria-pressed={isOn}
            title={label}
            disabled={isOff}
            onClick={run}
          >
            <Icon aria-hidden />
          </button>
        ))}
        {[
          { Icon: UndoIcon, label: words.undo, can: editor.can().undo(), run: () => chain().undo().run() },
          { Icon: RedoIcon, label: words.redo, can: editor.can().redo(), run: () => chain().redo().run() },
        ].map(({ Icon, label, can, run }) => (
          <button
            key={label}
            type="button"
            className="sky-icon-button"
            aria-label={label}
            title={label}
            disabled={isOff || !can}
            onClick={run}
          >
            <Icon aria-hidden />
          </button>
        ))}
      </div>
      {address !== undefined && (
        <div className="sky-editor-link">
          <TextInput
            autoFocus
            aria-label={words.address}
            placeholder="https://"
            maxLength={256}
            status={address === '' || isWebAddress(address) ? '' : 'error'}
            aria-invalid={address !== '' && !isWebAddress(address)}
            value={address}
            onChange={({ target }) => setAddress(target.value.trim())}
            // Enter is for the link, and not for the form around.
            onPressEnter={(event) => {
              event.preventDefault()
              setLink()
            }}
          />
          <Button disabled={!isWebAddress(address)} onClick={setLink}>
            {words.set}
          </Button>
          {editor.isActive('link') && (
            <Button
              onClick={() => {
                chain().extendMarkRange('link').unsetLink().run()
                setAddress(undefined)
              }}
            >
              {words.unset}
            </Button>
          )}
        </div>
      )}
    </>
  )
}
