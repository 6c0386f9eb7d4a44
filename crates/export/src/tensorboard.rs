//! Event files of TensorBoard.
//!
//! An event file is a sequence of records: the length of the data in eight bytes, the checksum of
//! these, the data, its checksum. The data of each is a message `Event`; the first one says the
//! version.

use crate::protobuf::Message;

/// The field numbers of `event.proto` and `summary.proto` that are used here.
mod field {
    pub const WALL_TIME: u32 = 1;
    pub const STEP: u32 = 2;
    pub const FILE_VERSION: u32 = 3;
    pub const SUMMARY: u32 = 5;
    pub const VALUE: u32 = 1;
    pub const TAG: u32 = 1;
    pub const SIMPLE_VALUE: u32 = 2;
}

/// A number at one step of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Scalar {
    /// Its name; what stands before a `/` groups the plots.
    pub tag: String,
    /// The step.
    pub step: u64,
    /// When it was measured, in seconds since 1970.
    pub wall_time: f64,
    /// The number.
    pub value: f32,
}

/// The bytes of an event file with these numbers, in their order.
pub fn to_tensorboard(scalars: &[Scalar]) -> Vec<u8> {
    let mut file = Vec::new();
    let begin = scalars.first().map_or(0.0, |first| first.wall_time);
    let version = Message::default()
        .double(field::WALL_TIME, begin)
        .text(field::FILE_VERSION, "brain.Event:2");
    record(&mut file, &version.into_bytes());
    for scalar in scalars {
        let value = Message::default()
            .text(field::TAG, &scalar.tag)
            .float(field::SIMPLE_VALUE, scalar.value);
        let event = Message::default()
            .double(field::WALL_TIME, scalar.wall_time)
            .int(field::STEP, scalar.step as i64)
            .message(
                field::SUMMARY,
                &Message::default().message(field::VALUE, &value),
            );
        record(&mut file, &event.into_bytes());
    }
    file
}

fn record(file: &mut Vec<u8>, data: &[u8]) {
    let length = (data.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked_checksum(&length).to_le_bytes());
    file.extend(data);
    file.extend(masked_checksum(data).to_le_bytes());
}

/// The CRC-32C, turned and moved so that checksums of data with checksums in it stay good.
fn masked_checksum(data: &[u8]) -> u32 {
    crc32c::crc32c(data)
        .rotate_right(15)
        .wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_those_of_the_tensorboard_package() {
        // TensorBoard 2.21 in Python: `RecordWriter.write(b"outflank")`.
        let mut file = Vec::new();
        record(&mut file, b"outflank");
        let head = [8, 0, 0, 0, 0, 0, 0, 0, 255, 134, 36, 15];
        assert_eq!(file[..12], head);
        assert_eq!(file[12..], *b"outflank\xe0\x06\xd0\xa5");
    }

    #[test]
    fn events_are_those_of_the_tensorboard_package() {
        // `Event(wall_time=1.5, step=300, summary=Summary(value=[Summary.Value(tag="loss/policy",
        // simple_value=0.25)])).SerializeToString()`.
        let scalar = Scalar {
            tag: "loss/policy".to_owned(),
            step: 300,
            wall_time: 1.5,
            value: 0.25,
        };
        let file = to_tensorboard(&[scalar]);
        let expected = b"\t\0\0\0\0\0\0\xf8?\x10\xac\x02*\x14\n\x12\n\x0bloss/policy\x15\0\0\x80>";
        let end = file.len() - 4;
        assert_eq!(file[end - expected.len()..end], *expected);
    }
}
