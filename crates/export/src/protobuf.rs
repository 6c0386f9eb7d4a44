//! Writing protocol buffers: just enough of the wire format for ONNX and TensorBoard.
//!
//! A message is a sequence of fields, each a key (field number and wire type) and a value. Repeated
//! fields are written one by one, which every reader has to accept.

/// A message, field by field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message(Vec<u8>);

/// How a value is laid out, the low three bits of a key.
#[derive(Clone, Copy)]
enum Wire {
    Varint = 0,
    Eight = 1,
    Length = 2,
    Four = 5,
}

impl Message {
    /// A whole number.
    pub fn int(mut self, field: u32, value: i64) -> Message {
        self.key(field, Wire::Varint);
        self.varint(value as u64);
        self
    }

    /// Whole numbers of a repeated field.
    pub fn ints(self, field: u32, values: &[i64]) -> Message {
        values
            .iter()
            .fold(self, |message, &value| message.int(field, value))
    }

    /// A number of eight bytes.
    pub fn double(mut self, field: u32, value: f64) -> Message {
        self.key(field, Wire::Eight);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A number of four bytes.
    pub fn float(mut self, field: u32, value: f32) -> Message {
        self.key(field, Wire::Four);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Bytes.
    pub fn bytes(mut self, field: u32, value: &[u8]) -> Message {
        self.key(field, Wire::Length);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// Text.
    pub fn text(self, field: u32, value: &str) -> Message {
        self.bytes(field, value.as_bytes())
    }

    /// A message within this one.
    pub fn message(self, field: u32, value: &Message) -> Message {
        self.bytes(field, &value.0)
    }

    /// Messages of a repeated field.
    pub fn messages<'a>(
        self,
        field: u32,
        values: impl IntoIterator<Item = &'a Message>,
    ) -> Message {
        values
            .into_iter()
            .fold(self, |message, value| message.message(field, value))
    }

    /// The bytes of the whole.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn key(&mut self, field: u32, wire: Wire) {
        self.varint(u64::from(field) << 3 | wire as u64);
    }

    /// Seven bits a byte, the lowest first; the eighth bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_format_s_description() {
        // From "Encoding" in the documentation of protocol buffers.
        let bytes = |message: Message| message.into_bytes();
        assert_eq!(bytes(Message::default().int(1, 150)), [0x08, 0x96, 0x01]);
        assert_eq!(
            bytes(Message::default().text(2, "testing")),
            *b"\x12\x07testing"
        );
        let inner = Message::default().int(1, 150);
        assert_eq!(
            bytes(Message::default().message(3, &inner)),
            [0x1a, 0x03, 0x08, 0x96, 0x01]
        );
    }

    #[test]
    fn negative_numbers_take_ten_bytes() {
        let bytes = Message::default().int(1, -2).into_bytes();
        assert_eq!(bytes[1..], [254, 255, 255, 255, 255, 255, 255, 255, 255, 1]);
        assert_eq!(
            Message::default().ints(1, &[1, 2]).into_bytes(),
            [8, 1, 8, 2]
        );
    }
}
