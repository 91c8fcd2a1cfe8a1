//! The resolver of a sandbox. Every name has the same address: the request that follows carries
//! the name itself, and it is resolved outside, after it was permitted.

use tokio::net::UdpSocket;

/// Address of every name; from a network that is reserved for tests and never routed.
const ADDRESS: [u8; 4] = [198, 18, 0, 1];

/// Longest question that is read.
const MAX_QUESTION: usize = 512;

/// Length of a message's head.
const HEAD: usize = 12;

/// Seconds for which an answer may be kept.
const KEPT: u32 = 60;

/// Record types.
const A: u16 = 1;

/// Answers questions until the socket fails.
pub(super) async fn serve(socket: UdpSocket) {
    let mut buffer = [0; MAX_QUESTION];
    while let Ok((length, from)) = socket.recv_from(&mut buffer).await {
        if let Some(answer) = answer(&buffer[..length]) {
            let _ = socket.send_to(&answer, from).await;
        }
    }
}

/// Returns the answer to a message with one question; `None` for anything else.
fn answer(message: &[u8]) -> Option<Vec<u8>> {
    let head = message.get(..HEAD)?;
    let is_question = head[2] & 0x80 == 0 && head[4..6] == [0, 1];
    if !is_question {
        return None;
    }
    let mut at = HEAD;
    loop {
        let length = usize::from(*message.get(at)?);
        at += 1;
        if length == 0 {
            break;
        }
        // A question has no compressed names.
        if length > 63 {
            return None;
        }
        at += length;
    }
    let kind = u16::from_be_bytes([*message.get(at)?, *message.get(at + 1)?]);
    let question = message.get(HEAD..at + 4)?;
    let answers = u16::from(kind == A);
    let mut reply = head[..2].to_vec();
    // A response, recursion available, no error; one question and its answers.
    reply.extend([0x81, 0x80, 0, 1]);
    reply.extend(answers.to_be_bytes());
    reply.extend([0; 4]);
    reply.extend(question);
    if kind == A {
        // The name of the question, type A, class IN.
        reply.extend([0xc0, HEAD as u8, 0, 1, 0, 1]);
        reply.extend(KEPT.to_be_bytes());
        reply.extend([0, 4]);
        reply.extend(ADDRESS);
    }
    Some(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: u8) -> Vec<u8> {
        let mut message = vec![7, 9, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        message.extend(b"\x03api\x07example\0");
        message.extend([0, kind, 0, 1]);
        message
    }

    #[test]
    fn every_name_has_one_address_and_no_other_records() {
        let found = answer(&question(1)).unwrap();
        assert_eq!(found[..2], [7, 9]);
        assert_eq!(found[6..8], [0, 1]);
        assert_eq!(found[found.len() - 4..], ADDRESS);
        let none = answer(&question(28)).unwrap();
        assert_eq!(none[6..8], [0, 0]);
    }

    #[test]
    fn broken_message_has_no_answer() {
        let whole = question(1);
        for length in 0..whole.len() {
            assert_eq!(answer(&whole[..length]), None, "{length}");
        }
        let mut response = question(1);
        response[2] |= 0x80;
        assert_eq!(answer(&response), None);
        let mut compressed = question(1);
        compressed[HEAD] = 0xc0;
        assert_eq!(answer(&compressed), None);
    }
}
