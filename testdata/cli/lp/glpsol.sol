Problem:    
Rows:       16
Columns:    11 (10 integer, 5 binary)
Non-zeros:  42
Status:     INTEGER OPTIMAL
Objective:  obj = 4608 (MINimum)

   No.   Row name        Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 c0                      -1536                       -1024 
     2 c1                      -3584                       -2048 
     3 c2                      -4608                       -1024 
     4 c3                       -512                        -512 
     5 c4                      -4608                       -4096 
     6 c5                       2048                        7680 
     7 c6                      -2048                       -2048 
     8 c7                       1024                        6656 
     9 c8                      -1024                       -1024 
    10 c9                       5632                        6656 
    11 c10                     -5632                        -512 
    12 c11                      4608                        7680 
    13 c12                     -4608                        -512 
    14 c13                      4096                        8192 
    15 c14                     -4096                       -4096 
    16 c15                     -4608                       -4096 

   No. Column name       Activity     Lower bound   Upper bound
------ ------------    ------------- ------------- -------------
     1 h                        4608          4608          8704 
     2 o0_512       *              6             0            15 
     3 o1_512       *              2             0            13 
     4 o2_512       *              0             0            15 
     5 o3_512       *              8             0            16 
     6 o4_512       *              0             0             9 
     7 y0           *              0             0             1 
     8 y1           *              0             0             1 
     9 y2           *              1             0             1 
    10 y3           *              1             0             1 
    11 y4           *              0             0             1 

Integer feasibility conditions:

KKT.PE: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

KKT.PB: max.abs.err = 0.00e+00 on row 0
        max.rel.err = 0.00e+00 on row 0
        High quality

End of output
