//! One question, to the name servers in turn: by datagram, and by a connection if the answer does
//! not fit into one.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

use super::config::Timing;
use super::message::{self, Answer, Kind, Question};

/// Longest datagram that is read.
const MAX_DATAGRAM: usize = 4096;

/// The reason why no name server gave an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// None was heard.
    Silent,
    /// One answered that it cannot tell.
    Refused,
}

/// Returns the addresses of a name, none if it has none of this kind.
pub(super) async fn addresses(
    servers: &[SocketAddr],
    timing: &Timing,
    name: &str,
    kind: Kind,
) -> Result<Vec<IpAddr>, Failure> {
    let mut failure = Failure::Silent;
    for _ in 0..timing.attempts {
        for server in servers {
            // A number of its own for every datagram, so that a guess has one chance.
            let Some(question) = Question::new(name, kind) else { return Ok(Vec::new()) };
            match timeout(timing.time, ask(*server, &question)).await {
                Ok(Ok(Answer::Addresses(addresses))) => return Ok(addresses),
                Ok(Ok(Answer::NoSuchName)) => return Ok(Vec::new()),
                Ok(Ok(Answer::Refused)) => failure = Failure::Refused,
                Ok(Ok(Answer::Truncated) | Err(_)) | Err(_) => {}
            }
        }
    }
    Err(failure)
}

async fn ask(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    // A port of its own, chosen at random by the system.
    let any: IpAddr = match server.is_ipv4() {
        true => Ipv4Addr::UNSPECIFIED.into(),
        false => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((any, 0)).await?;
    // Connected, so that datagrams of other senders are dropped.
    socket.connect(server).await?;
    socket.send(question.bytes()).await?;
    let mut datagram = [0; MAX_DATAGRAM];
    loop {
        let length = socket.recv(&mut datagram).await?;
        // Anything that is not the answer is ignored: it may be forged, and the answer still come.
        match message::answer(&datagram[..length], question) {
            Some(Answer::Truncated) => return ask_by_connection(server, question).await,
            Some(answer) => return Ok(answer),
            None => {}
        }
    }
}

async fn ask_by_connection(server: SocketAddr, question: &Question) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(server).await?;
    let length = u16::try_from(question.bytes().len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), question.bytes()].concat()).await?;
    let mut length = [0; 2];
    stream.read_exact(&mut length).await?;
    let mut answer = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut answer).await?;
    message::answer(&answer, question).ok_or_else(|| io::Error::other("not an answer"))
}
