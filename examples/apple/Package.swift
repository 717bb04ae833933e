// swift-tools-version:5.5
// Ingot as a Swift package: the library in C, and a program that uses it.
import PackageDescription

let package = Package(
    name: "Ingot",
    platforms: [.macOS(.v11), .iOS(.v14)],
    products: [.library(name: "CIngot", targets: ["CIngot"])],
    targets: [
        .target(
            name: "CIngot",
            // The optional component over LLVM, the command, and lists that are included.
            exclude: ["src/air", "src/cli"],
            publicHeadersPath: "include",
            cSettings: [
                .headerSearchPath("src"),
                .unsafeFlags(["-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]),
            ]),
        .executableTarget(name: "add-one", dependencies: ["CIngot"]),
    ],
    cLanguageStandard: .c17
)
