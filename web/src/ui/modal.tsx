export type { ModalProps } from 'antd'
export { default as Modal } from 'antd/es/modal'
