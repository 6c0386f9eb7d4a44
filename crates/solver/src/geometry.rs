use outflank_rules::{Size, Square};

/// What the search needs to know about a board of some size, as bitboards.
#[derive(Debug)]
pub(crate) struct Geometry {
    /// All squares of the board.
    pub squares: u64,
    /// Number of squares.
    pub area: i32,
    /// The four corners.
    pub corners: u64,
    /// The four quarters of the board.
    pub quadrants: [u64; 4],
    /// For each square, the quarter that it is in as one of the bits 1, 2, 4 and 8.
    pub quadrant_of: [u8; 64],
}

impl Geometry {
    /// The geometry of boards of this size.
    pub fn of(size: Size) -> &'static Geometry {
        static FOUR: Geometry = Geometry::new(Size::Four);
        static SIX: Geometry = Geometry::new(Size::Six);
        static EIGHT: Geometry = Geometry::new(Size::Eight);
        match size {
            Size::Four => &FOUR,
            Size::Six => &SIX,
            Size::Eight => &EIGHT,
        }
    }

    const fn new(size: Size) -> Geometry {
        let side = size.side();
        let mut quadrants = [0; 4];
        let mut quadrant_of = [0; 64];
        let mut index = 0;
        while let Some(square) = Square::from_index(index) {
            if size.contains(square) {
                let quadrant = 2 * (2 * square.row() / side) + 2 * square.column() / side;
                quadrants[quadrant] |= square.bit();
                quadrant_of[index] = 1 << quadrant;
            }
            index += 1;
        }
        let last = side - 1;
        Geometry {
            squares: size.squares().bits(),
            area: size.area() as i32,
            corners: 1 | 1 << last | 1 << (8 * last) | 1 << (9 * last),
            quadrants,
            quadrant_of,
        }
    }
}
